import { RefreshCw } from "lucide-react";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { Logo } from "@/components/logo";

interface SignedOutProps {
  /** Whether the hub frames the page: it brings a new ticket by itself. */
  framed: boolean;
  unreachable: boolean;
  /** What the server said; "" when nothing was tried. */
  detail: string;
  onAskHub: () => void;
}

function reload(): void {
  window.location.reload();
}

/** The page has no key: what happened, what is safe, what to do. */
export function SignedOut({ framed, unreachable, detail, onAskHub }: SignedOutProps) {
  if (unreachable) {
    return (
      <EmptyState
        icon={<Logo size={56} outline />}
        title="The daemon does not answer"
        actions={
          <Button icon={RefreshCw} onClick={reload}>
            Try again
          </Button>
        }
      >
        Your sessions are on disk. Start it from the app, or with <code className="text-code">lar daemon start</code>.
      </EmptyState>
    );
  }
  if (framed) {
    return (
      <EmptyState
        icon={<Logo size={56} outline />}
        title="Waking up"
        actions={<Button onClick={onAskHub}>Ask again</Button>}
      >
        The daemon was started anew; the page is signing in to it.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<Logo size={56} outline />} title="This page needs a new link">
      {detail === "" ? "A link opens the page once, and its key ends with the daemon." : detail} Open the project from
      the app, or print a link with <code className="text-code">lararium open --print</code>.
    </EmptyState>
  );
}
