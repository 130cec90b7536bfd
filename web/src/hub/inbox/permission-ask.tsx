import { useEffect, useState } from "react";
import { Button } from "@/components/button";
import { AlwaysRule } from "@/features/asks/always-rule";
import { DenyNote } from "@/features/asks/deny-note";
import { splitShown } from "@/features/asks/shown";
import { ShownWell } from "@/features/asks/shown-well";
import type { InboxAnswerInput, PermissionRequest } from "@/generated/hub";
import { type Answering, type CardKeysRef, OpenSession } from "./answering";

type InboxAction = InboxAnswerInput["action"];

interface PermissionAskProps {
  request: PermissionRequest;
  answering: Answering;
  keysRef: CardKeysRef;
}

const KEYS: Record<string, InboxAction> = { y: "allow_once", s: "allow_session", a: "allow_always", n: "deny" };

/** A call that waits: the whole of what would happen, why it is asked, and the answers. */
export function PermissionAsk({ request, answering, keysRef }: PermissionAskProps) {
  const [seen, setSeen] = useState(false);
  const [noting, setNoting] = useState(false);
  const always = request.suggested_rules.length > 0;
  const act = (action: InboxAction, reason?: string) => {
    if (action === "deny" || (seen && (action !== "allow_always" || always))) {
      answering.answer({ action, shown_sha256: request.shown_sha256, ...(reason === undefined ? {} : { reason }) });
    }
  };
  useEffect(() => {
    keysRef.current = (event) => {
      const action = KEYS[event.key.toLowerCase()];
      const held = event.ctrlKey || event.metaKey || event.altKey;
      if (action !== undefined && !held && !noting && answering.isArmed()) {
        event.preventDefault();
        act(action);
      }
    };
    return () => {
      keysRef.current = null;
    };
  });
  const { head } = splitShown(request.shown);
  const allows = answering.sending || !seen;
  return (
    <>
      <h3 className="mt-0.5 flex items-baseline gap-2 text-compose font-semibold">
        <span className="shrink-0">{request.title}</span>
        <bdi dir="ltr" title={head} className="min-w-0 truncate text-ui font-normal text-fg3">
          {request.tool === "bash" ? `in ${head}` : head}
        </bdi>
      </h3>
      <div className="mt-2 flex flex-col gap-2">
        <ShownWell request={request} onSeen={() => { setSeen(true); }} />
        <p className="text-meta text-fg2">{request.reason}</p>
        <AlwaysRule rules={request.suggested_rules} />
      </div>
      <div className="mt-2.5">
        {noting ? (
          <DenyNote onSend={(reason) => { act("deny", reason); }} onCancel={() => { setNoting(false); }} />
        ) : (
          <div className="flex flex-wrap items-center gap-2 small:flex-col small:items-stretch small:[&>button]:h-11">
            <Button variant="ember" size="small" keys="Y" disabled={allows} onClick={() => { act("allow_once"); }}>
              Allow once
            </Button>
            <Button size="small" keys="S" disabled={allows} onClick={() => { act("allow_session"); }}>
              This session
            </Button>
            {always ? (
              <Button size="small" keys="A" disabled={allows} onClick={() => { act("allow_always"); }}>
                Always
              </Button>
            ) : null}
            <Button variant="danger" size="small" keys="N" disabled={answering.sending} onClick={() => { act("deny"); }}>
              Deny
            </Button>
            <Button variant="quiet" size="small" disabled={answering.sending} onClick={() => { setNoting(true); }}>
              Deny with a note
            </Button>
            <OpenSession onOpen={answering.open} />
          </div>
        )}
      </div>
    </>
  );
}
