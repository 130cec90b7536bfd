import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { ModelDialog } from "@/components/model-dialog";
import type { ModelInfo, ModelList, ProfileInfo } from "@/generated/daemon";
import { api, sentenceOf } from "@/lib/api-client";
import { readProfilesAnew, removeProfile } from "@/lib/profiles";
import { showToast } from "@/lib/toasts";
import { type Check, check, problemOf } from "./checks";
import { FallbackMenu } from "./fallback-menu";
import { Problem } from "./problem";
import { keyWords, maskedKey } from "./profile-words";
import { useChange } from "./use-change";

interface ProfileDetailProps {
  id: string;
  profile: ProfileInfo;
  state: Check;
}

const FIELD = "h-8 min-w-0 rounded-control border border-line3 bg-bg2 px-3 text-ui";

/** A server opened up: its problem in full, and everything that can be changed. */
export function ProfileDetail({ id, profile, state }: ProfileDetailProps) {
  const [removing, setRemoving] = useState(false);
  const problem = problemOf(profile, state);
  const saved = profile.source === "settings";
  return (
    <div id={id} className="flex flex-col gap-2.5 px-4.5 pb-4 ps-16.5 @max-[560px]:ps-4.5">
      {problem === "" ? null : <p className="text-meta text-pretty text-bad select-text">{problem}</p>}
      {saved ? null : (
        <p className="text-meta text-pretty text-fg2">
          It was {profile.source === "discovered" ? "found on this computer" : "read from the environment"} and not saved:
          there is nothing to change.
        </p>
      )}
      <Line label="Model">
        <ModelButton profile={profile} />
      </Line>
      {saved ? (
        <>
          <Line label="API key">
            <KeyForm profile={profile} />
          </Line>
          <Line label="Address">
            <AddressForm profile={profile} />
          </Line>
          <Line label="Falls back on">
            <FallbackMenu profile={profile} />
          </Line>
        </>
      ) : (
        <Line label="Address">
          <span className="truncate font-mono text-code select-text">{profile.base_url}</span>
        </Line>
      )}
      <div className="mt-1 flex gap-2">
        <Button size="small" disabled={state.is === "running"} onClick={() => void check(profile.name)}>
          Check
        </Button>
        {saved ? (
          <Button size="small" variant="danger" onClick={() => { setRemoving(true); }}>
            Remove
          </Button>
        ) : null}
      </div>
      {removing ? <RemoveDialog profile={profile} onClose={() => { setRemoving(false); }} /> : null}
    </div>
  );
}

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-start gap-4 @max-[560px]:flex-col @max-[560px]:gap-1">
      <span className="w-20 shrink-0 pt-1.5 text-meta text-fg2">{label}</span>
      <div className="flex min-w-0 grow flex-col gap-1.5 self-stretch">{children}</div>
    </div>
  );
}

function ModelButton({ profile }: { profile: ProfileInfo }) {
  const { change, problem } = useChange(profile);
  const [models, setModels] = useState<readonly ModelInfo[] | null>(null);
  const [why, setWhy] = useState("");
  const open = async () => {
    setWhy("");
    try {
      const list = await api.get<ModelList>(`/api/models?profile=${encodeURIComponent(profile.name)}`);
      if (list.items.length === 0) {
        setWhy(list.problem === "" ? "The server names no models." : list.problem);
      } else {
        setModels(list.items);
      }
    } catch (error) {
      setWhy(sentenceOf(error));
    }
  };
  const name = profile.model === "" ? "The server's first one" : profile.model;
  return (
    <>
      {profile.source === "settings" ? (
        <Button size="small" className="max-w-full self-start" onClick={() => void open()}>
          <span className="truncate font-mono text-code">{name}</span>
        </Button>
      ) : (
        <span className="pt-1.5 font-mono text-code">{name}</span>
      )}
      <Problem words={problem?.words ?? why} />
      {models === null ? null : (
        <ModelDialog
          server={profile.name}
          models={models}
          onPick={(model) => void change({ model })}
          onClose={() => { setModels(null); }}
        />
      )}
    </>
  );
}

function KeyForm({ profile }: { profile: ProfileInfo }) {
  const { change, problem, busy } = useChange(profile);
  const [key, setKey] = useState("");
  const save = async (consent: boolean) => {
    if (await change({ key: key.trim(), ...(consent ? { consent_file: true } : {}) })) {
      setKey("");
      showToast(`The key of ${profile.name} is replaced.`);
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (key.trim() !== "") {
      void save(false);
    }
  };
  const known = [maskedKey(profile), keyWords(profile)].filter(Boolean).join(", ");
  return (
    <form onSubmit={onSubmit} className="contents">
      <div className="flex flex-wrap items-center gap-2">
        <input
          type="password"
          aria-label={`New key of ${profile.name}`}
          placeholder={known}
          value={key}
          maxLength={4096}
          autoComplete="off"
          spellCheck={false}
          disabled={busy}
          onChange={(event) => { setKey(event.target.value); }}
          className={`${FIELD} grow basis-48`}
        />
        <Button type="submit" size="small" className="h-8" disabled={busy || key.trim() === ""}>
          Replace
        </Button>
        {profile.key_place === "none" ? null : (
          <Button size="small" variant="quiet" className="h-8 text-bad" disabled={busy} onClick={() => void change({ key: "" })}>
            Remove the key
          </Button>
        )}
      </div>
      <Problem words={problem?.words ?? ""} />
      {problem?.code === "consent_needed" ? (
        <Button size="small" className="self-start" disabled={busy} onClick={() => void save(true)}>
          Keep it in the file
        </Button>
      ) : null}
    </form>
  );
}

function AddressForm({ profile }: { profile: ProfileInfo }) {
  const { change, problem, busy } = useChange(profile);
  const [address, setAddress] = useState(profile.base_url);
  const changed = address.trim() !== "" && address.trim() !== profile.base_url;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (changed) {
      void change({ base_url: address.trim() });
    }
  };
  return (
    <form onSubmit={onSubmit} className="contents">
      <div className="flex flex-wrap gap-2">
        <input
          aria-label={`Address of ${profile.name}`}
          value={address}
          spellCheck={false}
          autoComplete="off"
          disabled={busy}
          onChange={(event) => { setAddress(event.target.value); }}
          className={`${FIELD} grow basis-48 font-mono text-code`}
        />
        {changed ? (
          <Button type="submit" size="small" className="h-8" disabled={busy}>
            Save
          </Button>
        ) : null}
      </div>
      <Problem words={problem?.words ?? ""} />
    </form>
  );
}

function RemoveDialog({ profile, onClose }: { profile: ProfileInfo; onClose: () => void }) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const remove = async () => {
    setBusy(true);
    try {
      await removeProfile(profile.name);
      onClose();
      await readProfilesAnew(client);
    } catch (error) {
      setBusy(false);
      showToast(sentenceOf(error), { tone: "bad" });
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Remove ${profile.name}?`}
      description={
        profile.key_place === "keyring" || profile.key_place === "file"
          ? "Its key is deleted too. Sessions that used it stay; they need another model to go on."
          : "Sessions that used it stay; they need another model to go on."
      }
      footer={
        <>
          <Button variant="quiet" onClick={onClose}>
            Keep it
          </Button>
          <Button variant="danger" disabled={busy} onClick={() => void remove()}>
            Remove {profile.name}
          </Button>
        </>
      }
    />
  );
}
