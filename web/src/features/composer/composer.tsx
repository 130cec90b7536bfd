import { ArrowUp, Square } from "lucide-react";
import { Button } from "@/components/button";
import { Tooltip } from "@/components/tooltip";
import type { Mode, SessionState } from "@/lib/protocol";
import { AttachButton } from "./attach-button";
import { ContextRing } from "./context-ring";
import { NEW, useDraft, writeDraft } from "./drafts";
import { ImageChips } from "./image-chips";
import { addImages, useDraftImages } from "./images";
import { ModeMenu } from "./mode-menu";
import { ModelMenu } from "./model-menu";
import { nextMode } from "./modes";
import { QueuedMessages } from "./queued-messages";
import { SendProblem } from "./send-problem";
import { forgetProblem, sendDraft, useSending } from "./sending";
import { TextField } from "./text-field";
import { useImageDrop } from "./use-image-drop";

interface ComposerProps {
  /** null: the message begins a session. */
  sessionId: string | null;
  state: SessionState | undefined;
  mode: Mode;
  model: string | null;
  onMode: (mode: Mode) => void;
  onModel: (model: string | null) => void;
  onAddModel: () => void;
  onStop: () => void;
  /** The message was taken. */
  onSent: () => void;
}

function placeholderOf(sessionId: string | null, running: boolean, images: number): string {
  if (images > 0) {
    return images === 1 ? "Say what the image is for" : "Say what the images are for";
  }
  if (running) {
    return "Steer this run, or queue a follow-up";
  }
  return sessionId === null ? "What should change?" : "Ask for the next step";
}

/** Where the person writes; stays usable whatever the daemon does. */
export function Composer(props: ComposerProps) {
  const { sessionId, state, mode, model, onMode, onModel, onAddModel, onStop, onSent } = props;
  const key = sessionId ?? NEW;
  const { text } = useDraft(key);
  const images = useDraftImages(key);
  const dropping = useImageDrop(key);
  const { busy, problem } = useSending(key);
  const running = state?.run != null && state.run.outcome === null;
  const send = (steers = running) => {
    void sendDraft(sessionId, steers).then((taken) => {
      if (taken) {
        onSent();
      }
    });
  };
  return (
    <section data-region="composer" aria-label="Composer" className="@container">
      {problem === "" ? null : <SendProblem detail={problem} images={images.length} onRetry={() => { send(); }} />}
      {state === undefined || !running ? null : <QueuedMessages state={state} />}
      <div
        className={`rounded-card border bg-bg2 shadow-1 hover-fade focus-within:shadow-2 ${mode === "yolo" ? "border-bad" : dropping ? "border-info" : "border-line3"}`}
      >
        <ImageChips draftKey={key} />
        <TextField
          value={text}
          placeholder={dropping ? "Drop the images to attach them" : placeholderOf(sessionId, running, images.length)}
          onChange={(value) => {
            writeDraft(key, value);
            forgetProblem(key);
          }}
          onSend={() => { send(); }}
          onQueue={() => { send(false); }}
          onNextMode={() => { onMode(nextMode(mode)); }}
          onFiles={(files) => { addImages(key, files); }}
        />
        <div className="flex items-center gap-1 px-2 pb-2">
          <AttachButton draftKey={key} />
          <ModeMenu mode={mode} onChange={onMode} />
          <ModelMenu model={model} onChange={onModel} onAdd={onAddModel} />
          <span className="grow" />
          <ContextRing used={state?.usage?.input_tokens} window={state?.context_window} />
          {running ? <StopButton onStop={onStop} /> : null}
          <SendButton ready={text.trim() !== "" && !busy} busy={busy} running={running} onSend={() => { send(); }} />
        </div>
      </div>
    </section>
  );
}

function StopButton({ onStop }: { onStop: () => void }) {
  return (
    <Button size="small" onClick={onStop} className="ms-1 h-7.5" aria-label="Stop the run">
      <Square size={11} fill="currentColor" aria-hidden="true" />
      <span className="@max-[420px]:hidden">Stop</span>
      <span className="rounded-chip border border-line2 px-1 text-label text-fg3 @max-[560px]:hidden">Esc</span>
    </Button>
  );
}

interface SendButtonProps {
  ready: boolean;
  busy: boolean;
  running: boolean;
  onSend: () => void;
}

function SendButton({ ready, busy, running, onSend }: SendButtonProps) {
  const label = running ? "Steer the run" : "Send";
  return (
    <Tooltip label={label} keys="Enter">
      <button
        type="button"
        aria-label={label}
        aria-disabled={!ready}
        aria-busy={busy}
        onClick={() => {
          if (ready) {
            onSend();
          }
        }}
        className={`ms-1 flex size-7.5 shrink-0 items-center justify-center rounded-control hover-fade ${ready ? "bg-ink text-on-ink hover:bg-ink/88 active:translate-y-px" : "bg-bg3 text-fg3"}`}
      >
        <ArrowUp size={17} strokeWidth={1.75} aria-hidden="true" className={busy ? "animate-breathe" : ""} />
      </button>
    </Tooltip>
  );
}
