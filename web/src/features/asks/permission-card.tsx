import type { KeyboardEvent } from "react";
import { useEffect, useId, useRef, useState } from "react";
import { Button } from "@/components/button";
import type { PermissionRequest } from "@/lib/protocol";
import { AlwaysRule } from "./always-rule";
import { CardFrame } from "./card-frame";
import { CommandParts } from "./command-parts";
import { DenyNote } from "./deny-note";
import { splitShown } from "./shown";
import { ShownWell } from "./shown-well";
import { useArmed } from "./use-armed";
import { useExplained } from "./use-explained";

export interface Decision {
  decision: "allow" | "deny";
  scope: "once" | "session" | "always";
  reason?: string;
}

interface PermissionCardProps {
  request: PermissionRequest;
  /** "1 of 3" when several wait. */
  place: string | null;
  /** Takes the decision; the card is inert until it settles. A rejection is shown. */
  onDecide: (decision: Decision) => Promise<void>;
  /** Takes focus when it appears: nobody was typing. */
  takesFocus: boolean;
}

/** A call that waits for the person, with the whole of what would happen. */
export function PermissionCard({ request, place, onDecide, takesFocus }: PermissionCardProps) {
  const card = useRef<HTMLElement>(null);
  const armed = useArmed(card);
  const descriptionId = useId();
  const [sending, setSending] = useState(false);
  const [noting, setNoting] = useState(false);
  const [seen, setSeen] = useState(false);
  const [problem, setProblem] = useState("");
  const always = request.suggested_rules.length > 0;
  const parts = useExplained(request);

  useEffect(() => {
    if (takesFocus) card.current?.focus();
  }, [takesFocus, request.id]);

  const decide = (decision: Decision) => {
    if (sending || (decision.decision === "allow" && !seen)) return;
    setSending(true);
    setProblem("");
    onDecide(decision).catch((error: unknown) => {
      setSending(false);
      setProblem(error instanceof Error ? error.message : "The answer did not arrive. Try again.");
    });
  };
  const keys: Record<string, () => void> = {
    y: () => decide({ decision: "allow", scope: "once" }),
    s: () => decide({ decision: "allow", scope: "session" }),
    a: () => always && decide({ decision: "allow", scope: "always" }),
    n: () => decide({ decision: "deny", scope: "once" }),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const act = keys[event.key.toLowerCase()];
    if (!act || noting || event.ctrlKey || event.metaKey || event.altKey || !armed.isArmed()) return;
    event.preventDefault();
    act();
  };

  const { head } = splitShown(request.shown);
  return (
    <CardFrame
      ref={card}
      label={request.title}
      describedBy={descriptionId}
      title={request.title}
      where={request.tool === "bash" ? `in ${head}` : head}
      place={place}
      since={request.created_at}
      onKeyDown={onKeyDown}
      onFocus={armed.onFocus}
      onBlur={armed.onBlur}
    >
      <div id={descriptionId} className="flex flex-col gap-2.5">
        <ShownWell request={request} parts={parts} onSeen={() => setSeen(true)} />
        {parts.some(({ reason }) => reason === request.reason) ? null : (
          <p className="text-ui break-words text-fg2">{request.reason}</p>
        )}
      </div>
      <div className="flex max-h-[34dvh] flex-col gap-2.5 overflow-y-auto [@media(max-height:640px)]:max-h-[16dvh]">
        {parts.length === 0 ? null : <CommandParts parts={parts} />}
        <AlwaysRule rules={request.suggested_rules} rehearsable />
      </div>
      {problem ? (
        <p role="alert" className="text-ui text-bad">
          {problem}
        </p>
      ) : null}
      {noting ? (
        <DenyNote onSend={(reason) => decide({ decision: "deny", scope: "once", reason })} onCancel={() => setNoting(false)} />
      ) : (
        <div className="flex flex-wrap items-center gap-2 small:flex-col small:items-stretch small:[&>button]:h-11">
          <Button variant="ember" keys="Y" disabled={sending || !seen} onClick={keys["y"]}>
            Allow once
          </Button>
          <Button keys="S" disabled={sending || !seen} onClick={keys["s"]}>
            This session
          </Button>
          {always ? (
            <Button keys="A" disabled={sending || !seen} onClick={keys["a"]}>
              Always
            </Button>
          ) : null}
          <span className="grow" />
          <Button variant="quiet" disabled={sending} onClick={() => setNoting(true)}>
            Deny with a note
          </Button>
          <Button variant="danger" keys="N" disabled={sending} onClick={keys["n"]}>
            Deny
          </Button>
        </div>
      )}
    </CardFrame>
  );
}
