import { CheckCircle2, ChevronDown, CircleAlert, KeyRound, LockKeyhole } from "lucide-react";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { Button } from "@/components/button";
import { Menu, MenuChoice, MenuChoices, MenuSeparator } from "@/components/menu";
import { ModelDialog } from "@/components/model-dialog";
import type { ProfileChecked, ProfileInfo } from "@/generated/daemon";
import { type Draft, type OwnServer, useOwnServer } from "./own-server";
import { freeName, OWN_ADDRESS, PRESETS, tidyAddress } from "./presets";

interface OwnServerCardProps {
  /** Names of saved profiles. */
  taken: readonly string[];
  /** The system's key store in words; "" when there is none, null while it is not known. */
  keyring: string | null;
  onSaved: (profile: ProfileInfo) => void;
  onModel: (profile: ProfileInfo, model: string) => void;
}

const FIELD =
  "h-8 min-w-0 rounded-control border border-line3 bg-bg2 px-3 text-ui aria-invalid:border-bad disabled:opacity-60";

/** A key or an address that the person brings. */
export function OwnServerCard({ taken, keyring, onSaved, onModel }: OwnServerCardProps) {
  const [service, setService] = useState(PRESETS[0]?.name ?? OWN_ADDRESS);
  const [address, setAddress] = useState("");
  const [key, setKey] = useState("");
  const { own, check, save, reset } = useOwnServer((profile) => {
    setKey("");
    onSaved(profile);
  });
  const preset = PRESETS.find(({ name }) => name === service);
  const draft: Draft =
    preset === undefined
      ? { name: freeName(tidyAddress(address), taken), baseUrl: tidyAddress(address), key }
      : { name: preset.name, baseUrl: preset.baseUrl, key };
  const busy = own.step === "checking" || own.step === "saving";
  const ready = !busy && (preset === undefined ? address.trim() !== "" : key.trim() !== "");
  const changed = (set: (value: string) => void) => (value: string) => {
    set(value);
    reset();
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (ready) {
      void check(draft);
    }
  };
  if (own.step === "saved") {
    return <Saved profile={own.profile} checked={own.checked} onModel={onModel} onAnother={reset} />;
  }
  const failed = own.step === "failed";
  return (
    <form onSubmit={onSubmit} className="rounded-card border border-line1 bg-bg2 px-4.5 py-4 shadow-control">
      <div className="flex flex-wrap items-center gap-2 small:flex-col small:items-stretch">
        <ServiceMenu service={service} onChange={changed(setService)} />
        {preset === undefined ? (
          <input
            aria-label="Address of the server"
            placeholder="https://host/v1"
            value={address}
            spellCheck={false}
            autoComplete="off"
            autoFocus
            disabled={busy}
            aria-invalid={failed}
            onChange={(event) => { changed(setAddress)(event.target.value); }}
            className={`${FIELD} basis-60 font-mono text-code not-small:grow`}
          />
        ) : null}
        <KeyField value={key} optional={preset === undefined} busy={busy} failed={failed} onChange={changed(setKey)} />
        <Button type="submit" disabled={!ready}>
          {own.step === "checking" ? "Checking" : own.step === "saving" ? "Saving" : "Check and save"}
        </Button>
      </div>
      <Told own={own} onSave={(checked, consent) => void save(draft, checked, consent)} onCancel={reset} />
      <p className="mt-2.5 flex flex-wrap items-center gap-x-4 gap-y-1 text-meta text-fg2">
        <span className="flex items-center gap-1.5 text-fg3">
          <LockKeyhole size={13} strokeWidth={1.6} aria-hidden="true" className="shrink-0" />
          {keyring === ""
            ? "No keychain answers here: you are asked before a file holds the key"
            : `Goes to the system keychain${keyring === null ? "" : ` (${keyring})`}`}
        </span>
        {preset === undefined ? null : (
          <button type="button" className="rounded-chip hover:underline" onClick={() => { changed(setService)(OWN_ADDRESS); }}>
            Any OpenAI-compatible address
          </button>
        )}
      </p>
    </form>
  );
}

function ServiceMenu({ service, onChange }: { service: string; onChange: (service: string) => void }) {
  return (
    <Menu
      label="Service"
      trigger={
        <button
          type="button"
          aria-label={`Service: ${service === OWN_ADDRESS ? "own address" : service}`}
          className="flex h-8 w-42 shrink-0 items-center justify-between gap-2 rounded-control border border-line3 bg-bg2 px-3 text-ui hover-fade hover:bg-bg3 small:w-full"
        >
          <span className="truncate">{service === OWN_ADDRESS ? "Own address" : service}</span>
          <ChevronDown size={15} strokeWidth={1.6} aria-hidden="true" className="shrink-0 text-fg3" />
        </button>
      }
    >
      <MenuChoices value={service} label="Service" onChange={onChange}>
        {PRESETS.map(({ name }) => (
          <MenuChoice key={name} value={name} label={name} />
        ))}
        <MenuSeparator />
        <MenuChoice value={OWN_ADDRESS} label="Own address" description="Any OpenAI-compatible server" />
      </MenuChoices>
    </Menu>
  );
}

interface KeyFieldProps {
  value: string;
  optional: boolean;
  busy: boolean;
  failed: boolean;
  onChange: (value: string) => void;
}

function KeyField({ value, optional, busy, failed, onChange }: KeyFieldProps) {
  return (
    <span className={`relative min-w-0 grow ${optional ? "basis-100" : "basis-40"} small:basis-auto`}>
      <KeyRound size={14} strokeWidth={1.6} aria-hidden="true" className="absolute start-3 top-2.25 text-fg2" />
      <input
        type="password"
        aria-label="API key"
        placeholder={optional ? "API key, if it wants one" : "Paste an API key"}
        value={value}
        maxLength={4096}
        spellCheck={false}
        autoComplete="off"
        disabled={busy}
        aria-invalid={failed}
        onChange={(event) => { onChange(event.target.value); }}
        className={`${FIELD} w-full ps-8.5`}
      />
    </span>
  );
}

function Line({ tone, children }: { tone: "bad" | "plain"; children: ReactNode }) {
  return (
    <p role={tone === "bad" ? "alert" : "status"} className={`mt-2.5 flex gap-2 text-ui text-pretty ${tone === "bad" ? "text-bad" : "text-fg2"}`}>
      <CircleAlert size={15} strokeWidth={1.75} aria-hidden="true" className={`mt-0.5 shrink-0 ${tone === "bad" ? "" : "text-ochre"}`} />
      <span className="min-w-0 break-words select-text">{children}</span>
    </p>
  );
}

interface ToldProps {
  own: OwnServer;
  onSave: (checked: ProfileChecked, consent: boolean) => void;
  onCancel: () => void;
}

/** What the check said, and the one question there may be. */
function Told({ own, onSave, onCancel }: ToldProps) {
  if (own.step === "failed") {
    return <Line tone="bad">{own.problem}</Line>;
  }
  if (own.step !== "warned" && own.step !== "consent") {
    return null;
  }
  const words = own.step === "warned" ? own.warning : own.words;
  return (
    <>
      <Line tone="plain">{words}</Line>
      <div className="mt-2.5 flex gap-2">
        <Button size="small" onClick={() => { onSave(own.checked, own.step === "consent"); }}>
          {own.step === "warned" ? "Save it" : "Keep it in the file"}
        </Button>
        <Button size="small" variant="quiet" onClick={onCancel}>
          Do not save
        </Button>
      </div>
    </>
  );
}

interface SavedProps {
  profile: ProfileInfo;
  checked: ProfileChecked;
  onModel: (profile: ProfileInfo, model: string) => void;
  onAnother: () => void;
}

function Saved({ profile, checked, onModel, onAnother }: SavedProps) {
  const [picking, setPicking] = useState(false);
  const [model, setModel] = useState(checked.model);
  const id = useId();
  const count = checked.models.length;
  return (
    <section aria-labelledby={id} className="flex flex-wrap items-center gap-x-3.5 gap-y-2.5 rounded-card border border-line1 bg-bg2 px-4.5 py-4 shadow-control">
      <CheckCircle2 size={17} strokeWidth={1.6} aria-hidden="true" className="shrink-0 text-live" />
      <div className="min-w-52 grow basis-0">
        <h3 id={id} role="status" className="text-ui font-semibold">
          {profile.name} works
        </h3>
        <p className="tabular mt-0.5 text-meta text-fg2">
          Answered in {checked.milliseconds.toLocaleString()} ms · {count === 1 ? "1 model" : `${count.toLocaleString()} models`}
          {profile.key_hint === "" ? "" : ` · key ends in ${profile.key_hint.replace(/^…/, "")}`}
        </p>
      </div>
      {count > 1 ? (
        <Button onClick={() => { setPicking(true); }} className="max-w-64">
          <span className="truncate font-mono text-code">{model === "" ? "Choose its model" : model}</span>
          <ChevronDown size={14} strokeWidth={1.6} aria-hidden="true" className="text-fg3" />
        </Button>
      ) : null}
      <Button variant="quiet" onClick={onAnother}>
        Add another
      </Button>
      {picking ? (
        <ModelDialog
          server={profile.name}
          models={checked.models}
          onPick={(next) => {
            setModel(next);
            onModel(profile, next);
          }}
          onClose={() => { setPicking(false); }}
        />
      ) : null}
    </section>
  );
}
