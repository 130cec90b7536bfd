import { Unplug } from "lucide-react";
import { EmptyState } from "@/components/empty-state";
import { Logo } from "@/components/logo";

function Middle({ children }: { children: React.ReactNode }) {
  return <main className="flex h-full items-center justify-center p-6">{children}</main>;
}

/** The hub has not spoken yet. */
export function Connecting() {
  return (
    <Middle>
      <p role="status" className="flex animate-[lar-fade_140ms_300ms_both] items-center gap-3 text-fg2">
        <Logo size={22} /> Lararium is opening
      </p>
    </Middle>
  );
}

/** The page has no key that the hub takes. */
export function SignedOut({ detail }: { detail: string }) {
  return (
    <Middle>
      <EmptyState icon={<Logo size={44} outline />} title="This page needs a fresh link">
        {detail === "" ? "Its key has run out, or it was opened without one." : detail} Type{" "}
        <code className="rounded-chip bg-bg3 px-1 py-0.5 text-code select-text">lararium open --print</code> in a
        terminal and open the address it prints. Your projects go on with their work.
      </EmptyState>
    </Middle>
  );
}

/** The hub's address does not answer at all. */
export function Unreachable() {
  return (
    <Middle>
      <EmptyState icon={<Unplug size={36} strokeWidth={1.3} />} title="Lararium does not answer">
        Start it again with <code className="rounded-chip bg-bg3 px-1 py-0.5 text-code">lararium</code>. The daemons of
        your projects go on with their work.
      </EmptyState>
    </Middle>
  );
}
