import { Unplug } from "lucide-react";
import { EmptyState } from "@/components/empty-state";
import { Logo } from "@/components/logo";

function Middle({ children }: { children: React.ReactNode }) {
  return <main className="flex h-full items-center justify-center p-6">{children}</main>;
}

/** The hub has not spoken yet: the frame of what comes. `hub/index.html` draws it before any code runs. */
export function Connecting() {
  return (
    <div className="flex h-full flex-col-reverse min-[860px]:flex-row">
      <div className="h-15 shrink-0 min-[860px]:h-auto min-[860px]:w-15 min-[1100px]:w-56 min-[1100px]:px-2 min-[1100px]:pt-2">
        <div className="hidden h-9 items-center gap-2.5 px-2 text-read font-semibold min-[1100px]:flex">
          <Logo size={20} /> Lararium
        </div>
      </div>
      <div className="min-h-0 min-w-0 grow px-1 pt-1 min-[860px]:py-2 min-[860px]:ps-0 min-[860px]:pe-2">
        <main className="flex h-full items-center justify-center rounded-sheet border border-line1 bg-bg1">
          <p role="status" className="animate-[lar-fade_140ms_300ms_both] text-fg2">
            Lararium is opening
          </p>
        </main>
      </div>
    </div>
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
