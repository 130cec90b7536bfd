import { type RefObject, useEffect, useRef, useState } from "react";
import { Asks } from "@/features/asks/asks";
import { Composer } from "@/features/composer/composer";
import { useNewSession } from "@/features/composer/new-session";
import { openOnboarding } from "@/features/onboarding/opened";
import { openSettings } from "@/features/settings/opened";
import { ConnectionBanner } from "@/features/status/connection-banner";
import { NoModelBanner } from "@/features/status/no-model";
import { NoticeBanners } from "@/features/status/notice-banners";
import { TourBanner } from "@/features/status/tour-banner";
import { YoloBanner } from "@/features/status/yolo-banner";
import { TodoList } from "@/features/todo/todo-list";
import { Transcript } from "@/features/transcript/transcript";
import { TrustBanner } from "@/features/trust/trust-banner";
import { sentenceOf } from "@/lib/api-client";
import { follow, useEvents, useSessionState } from "@/lib/events/store";
import { useFrontSession } from "@/lib/front-session";
import type { Mode, SessionState } from "@/lib/protocol";
import { interrupt, patchSession } from "@/lib/session-actions";
import { showToast } from "@/lib/toasts";
import { answerQuestion, decideRequest } from "./ask-actions";
import { NewSession } from "./new-session";
import { SessionHeader } from "./session-header";
import { Gone, Unspoken } from "./stand-ins";
import { TranscriptSkeleton } from "./transcript-skeleton";
import { TranscriptWiring } from "./transcript-wiring";
import { useAnnounced } from "./use-announced";

interface SessionViewProps {
  /** Opens the list of sessions; null when it stands beside. */
  onSessions: (() => void) | null;
}

/** The one column that transcript, cards and composer share. */
const COLUMN = "mx-auto flex w-[calc(100%-3rem)] max-w-(--container-column) flex-col gap-2 small:w-[calc(100%-1.5rem)]";

function failed(error: unknown): void {
  showToast(sentenceOf(error), { tone: "bad" });
}

/** How the session in front is set, or the one that begins with the next message. */
function useSettings(sessionId: string | null, state: SessionState | undefined) {
  const next = useNewSession();
  const set = (change: { mode?: Mode; model?: string | null }) => {
    if (sessionId === null) {
      useNewSession.setState(change);
    } else {
      patchSession(sessionId, change).catch(failed);
    }
  };
  return {
    mode: sessionId === null ? next.mode : (state?.mode ?? "default"),
    model: sessionId === null ? next.model : (state?.model ?? null),
    setMode: (mode: Mode) => { set({ mode }); },
    setModel: (model: string | null) => { set({ model }); },
  };
}

function useFocusOnOpen(sessionId: string | null) {
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    main.current?.querySelector<HTMLElement>("[data-composer]")?.focus();
  }, [sessionId]);
  return main;
}

/** A card that was answered takes its focus along: the composer is next. */
function useFocusAfterAnswer(main: RefObject<HTMLElement | null>, asks: number) {
  const before = useRef(asks);
  useEffect(() => {
    const fewer = asks < before.current;
    before.current = asks;
    if (fewer && document.activeElement === document.body) {
      main.current?.querySelector<HTMLElement>("[data-needs-you], [data-composer]")?.focus();
    }
  }, [main, asks]);
}

interface SaidProps {
  sessionId: string | null;
  state: SessionState | undefined;
  sent: number;
}

/** What was said, or what stands in its place. */
function Said({ sessionId, state, sent }: SaidProps) {
  const target = useFrontSession((front) => front.target);
  const refused = useEvents((events) => (sessionId === null ? undefined : events.refused[sessionId]));
  if (sessionId === null) {
    return <NewSession />;
  }
  if (state === undefined && refused !== undefined) {
    return <Gone detail={refused} />;
  }
  if (state === undefined) {
    return <TranscriptSkeleton />;
  }
  if (state.messages.length === 0) {
    return <Unspoken />;
  }
  return (
    <TranscriptWiring sessionId={sessionId}>
      <Transcript key={sessionId} state={state} sent={sent} target={target} />
    </TranscriptWiring>
  );
}

/** The session in front: what was said, what waits, and where the person writes. */
export function SessionView({ onSessions }: SessionViewProps) {
  const sessionId = useFrontSession((front) => front.id);
  const state = useSessionState(sessionId);
  const settings = useSettings(sessionId, state);
  const [sent, setSent] = useState(0);
  const main = useFocusOnOpen(sessionId);
  useEffect(() => (sessionId === null ? undefined : follow(sessionId)), [sessionId]);
  useAnnounced(state);
  useFocusAfterAnswer(main, (state?.requests.length ?? 0) + (state?.questions.length ?? 0));
  const running = state?.run != null && state.run.outcome === null;
  return (
    <main ref={main} className="flex min-w-0 grow flex-col">
      <SessionHeader sessionId={sessionId} state={state} onSessions={onSessions} />
      <div className={`${COLUMN} pt-2 empty:hidden`}>
        <ConnectionBanner running={running} />
        <NoticeBanners />
        <TourBanner onChoose={openOnboarding} />
        {settings.mode === "yolo" ? <YoloBanner onTurnOff={() => { settings.setMode("default"); }} /> : null}
        {sessionId === null ? null : <TrustBanner onReview={() => { openSettings("folder"); }} />}
        {sessionId === null ? null : <NoModelBanner onChoose={openOnboarding} />}
      </div>
      <Said sessionId={sessionId} state={state} sent={sent} />
      <div className={`${COLUMN} shrink-0 pb-3`}>
        {state === undefined ? null : <TodoList sessionId={state.session_id} steps={state.todo} running={running} />}
        {state === undefined ? null : <Asks state={state} onDecide={decideRequest} onAnswer={answerQuestion} />}
        <Composer
          sessionId={sessionId}
          state={state}
          mode={settings.mode}
          model={settings.model}
          onMode={settings.setMode}
          onModel={settings.setModel}
          onAddModel={openOnboarding}
          onStop={() => void (sessionId !== null && interrupt(sessionId).catch(failed))}
          onSent={() => { setSent(sent + 1); }}
        />
      </div>
    </main>
  );
}
