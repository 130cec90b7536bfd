import { useEffect, useState } from "react";
import { Button } from "@/components/button";
import { Mark } from "@/components/mark";
import { type Toast, useToasts } from "@/lib/toasts";

const SHOWN_MS = 6_000;

function ToastCard({ toast }: { toast: Toast }) {
  const close = useToasts((state) => state.close);
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) {
      return;
    }
    const timer = setTimeout(() => {
      close(toast.id);
    }, SHOWN_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [close, held, toast.id]);
  return (
    <div
      className="pointer-events-auto flex min-h-12 animate-rise items-center gap-3 rounded-sheet border border-line2 bg-bg2 px-4 py-2 text-ui shadow-2"
      onMouseEnter={() => { setHeld(true); }}
      onMouseLeave={() => { setHeld(false); }}
      onFocus={() => { setHeld(true); }}
      onBlur={() => { setHeld(false); }}
    >
      {toast.tone === "plain" ? null : <Mark kind={toast.tone === "bad" ? "error" : "needs-you"} />}
      <span className="min-w-0 grow break-words">{toast.text}</span>
      {toast.action === undefined ? null : (
        <Button
          size="small"
          onClick={() => {
            toast.action?.onSelect();
            close(toast.id);
          }}
        >
          {toast.action.label}
        </Button>
      )}
    </div>
  );
}

/** The place of toasts: results of what was just done, at most two, 6 s. */
export function Toaster() {
  const items = useToasts((state) => state.items);
  return (
    <div
      role="status"
      className="pointer-events-none fixed end-5 bottom-4 z-50 flex w-92 max-w-[calc(100vw-2.5rem)] flex-col gap-2.5"
    >
      {items.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </div>
  );
}
