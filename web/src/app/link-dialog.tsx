import { ExternalLink } from "lucide-react";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";

interface LinkDialogProps {
  /** The address a model or a file gave; null when none is asked about. */
  address: string | null;
  onClose: () => void;
}

function hostOf(address: string): string {
  try {
    return new URL(address).host;
  } catch {
    return address;
  }
}

/** A link opens only after the person has seen where it leads: its address may carry data away. */
export function LinkDialog({ address, onClose }: LinkDialogProps) {
  return (
    <Dialog
      open={address !== null}
      onClose={onClose}
      title={`Open ${address === null ? "" : hostOf(address)}?`}
      description="The whole address goes to that host."
      footer={
        <>
          <Button variant="quiet" onClick={onClose}>
            Stay here
          </Button>
          <a
            href={address ?? undefined}
            target="_blank"
            rel="noopener noreferrer"
            onClick={onClose}
            className="inline-flex h-8 items-center gap-2 rounded-control bg-ink px-3 text-ui font-semibold text-on-ink hover:bg-ink/88"
          >
            <ExternalLink size={15} strokeWidth={1.75} aria-hidden="true" />
            Open the link
          </a>
        </>
      }
    >
      <p dir="ltr" className="rounded-well border border-line1 bg-well px-3 py-2 font-mono text-code break-all select-text">
        {address}
      </p>
    </Dialog>
  );
}
