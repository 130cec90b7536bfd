import { CheckCircle2, ChevronDown, ChevronRight, CircleAlert, HardDrive } from "lucide-react";
import { useId, useState } from "react";
import type { ProfileInfo } from "@/generated/daemon";
import { type Check, problemOf, useCheckOf } from "./checks";
import { ProfileDetail } from "./profile-detail";
import { keyWords, maskedKey, profileFacts } from "./profile-words";

/** A model server in one line; a click shows what can be changed. */
export function ProfileRow({ profile }: { profile: ProfileInfo }) {
  const [open, setOpen] = useState(false);
  const check = useCheckOf(profile.name);
  const id = useId();
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <div className="border-t border-line1 first:border-t-0">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => { setOpen(!open); }}
        className="flex w-full items-center gap-3.5 px-4.5 py-3 -outline-offset-4 hover-fade hover:bg-bg3"
      >
        <Tile profile={profile} />
        <span className="min-w-0 grow basis-0">
          <span className="block truncate text-ui font-semibold">
            {profile.name}{" "}
            {profile.in_use ? <span className="ms-2 text-meta font-normal text-fg3">answers here</span> : null}
          </span>
          <span className="block truncate text-meta text-fg3">{profileFacts(profile)}</span>
        </span>
        <span className="w-50 shrink-0 @max-[900px]:hidden">
          <span className="block truncate font-mono text-code">{maskedKey(profile)}</span>
          <span className="block truncate text-meta text-fg3">{keyWords(profile)}</span>
        </span>
        <Status profile={profile} check={check} />
        <Chevron size={16} strokeWidth={1.6} aria-hidden="true" className="shrink-0 text-fg3" />
      </button>
      {open ? <ProfileDetail id={id} profile={profile} state={check} /> : null}
    </div>
  );
}

function Tile({ profile }: { profile: ProfileInfo }) {
  const isLocal = /^https?:\/\/(127\.|localhost|\[::1\])/.test(profile.base_url);
  return (
    <span
      aria-hidden="true"
      className="flex size-8 shrink-0 items-center justify-center rounded-control bg-bg3 text-meta font-semibold text-fg2"
    >
      {isLocal ? <HardDrive size={16} strokeWidth={1.6} /> : profile.name.slice(0, 2)}
    </span>
  );
}

function Status({ profile, check }: { profile: ProfileInfo; check: Check }) {
  const look = "flex w-30 shrink-0 items-center gap-1.5 text-meta @max-[440px]:w-auto";
  if (check.is === "running") {
    return (
      <span role="status" className={`${look} text-fg3`}>
        checking
      </span>
    );
  }
  if (problemOf(profile, check) !== "") {
    return (
      <span role="status" className={`${look} text-bad`}>
        <CircleAlert size={15} strokeWidth={1.75} aria-hidden="true" /> Does not work
      </span>
    );
  }
  return check.is === "done" ? (
    <span role="status" className={`tabular ${look} text-live`}>
      <CheckCircle2 size={15} strokeWidth={1.75} aria-hidden="true" /> Works, {check.checked.milliseconds.toLocaleString()} ms
    </span>
  ) : (
    <span className={look} />
  );
}
