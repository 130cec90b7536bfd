import type { ReactNode } from "react";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { Logo } from "@/components/logo";
import { showSession } from "@/lib/front-session";

function Centred({ children }: { children: ReactNode }) {
  return <div className="flex min-h-0 grow items-center justify-center px-6">{children}</div>;
}

/** A session without messages: another client began it. */
export function Unspoken() {
  return (
    <Centred>
      <EmptyState icon={<Logo size={56} outline />} title="Nothing was said here yet">
        Write below what should change.
      </EmptyState>
    </Centred>
  );
}

interface GoneProps {
  /** What the daemon says of it. */
  detail: string;
}

/** A session that the daemon does not give. */
export function Gone({ detail }: GoneProps) {
  return (
    <Centred>
      <EmptyState
        icon={<Logo size={56} outline />}
        title="This session cannot be opened"
        actions={<Button onClick={() => { showSession(null); }}>Begin a new one</Button>}
      >
        {detail}
      </EmptyState>
    </Centred>
  );
}
