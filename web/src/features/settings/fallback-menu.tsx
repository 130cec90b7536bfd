import { useQuery } from "@tanstack/react-query";
import { Menu, MenuChoice, MenuChoices, MenuSeparator } from "@/components/menu";
import type { ProfileInfo, ProfileList } from "@/generated/daemon";
import { profilesQuery } from "@/lib/profiles";
import { ChoiceButton } from "./choice-button";
import { Problem } from "./problem";
import { choiceWords } from "./profile-words";
import { useChange } from "./use-change";

/** As the daemon writes it; Radix' values are words too. */
const NONE = "";
const allOf = (list: ProfileList) => list.items;

/** What can answer in place of a profile: each name once, not itself, not the script of the tour. */
export function fallbackChoices(profiles: readonly ProfileInfo[], name: string): ProfileInfo[] {
  const able = profiles.filter((other) => other.name !== name && other.kind !== "tour");
  return able.filter((other, index) => able.findIndex((first) => first.name === other.name) === index);
}

/** Which profile answers when this one cannot; one that is gone is said, and stays until it is changed. */
export function FallbackMenu({ profile }: { profile: ProfileInfo }) {
  const { data } = useQuery({ ...profilesQuery, select: allOf });
  const { change, problem, busy } = useChange(profile);
  const choices = fallbackChoices(data ?? [], profile.name);
  const chosen = choices.find(({ name }) => name === profile.fallback);
  const isLost = data !== undefined && profile.fallback !== NONE && chosen === undefined;
  const label = chosen === undefined ? (profile.fallback === NONE ? "None" : profile.fallback) : choiceWords(chosen);
  const subject = "Falls back on";
  return (
    <>
      <Menu
        label={subject}
        trigger={
          <ChoiceButton
            subject={subject}
            label={isLost ? `${label} (not there)` : label}
            disabled={busy}
            className={`max-w-full ${isLost ? "text-bad" : ""}`}
          />
        }
      >
        <MenuChoices value={profile.fallback} label={subject} onChange={(fallback) => void change({ fallback })}>
          <MenuChoice value={NONE} label="None" />
          {choices.length === 0 ? null : <MenuSeparator />}
          {isLost ? <MenuChoice value={profile.fallback} label={profile.fallback} description="It is not there." disabled /> : null}
          {choices.map((other) => (
            <MenuChoice
              key={other.name}
              value={other.name}
              label={choiceWords(other)}
              {...(other.problem === "" ? {} : { description: other.problem })}
            />
          ))}
        </MenuChoices>
      </Menu>
      {isLost ? (
        <Problem words={`There is no profile ${profile.fallback} any more. Until you choose another, nothing answers in place of ${profile.name}.`} />
      ) : (
        <p className="text-meta text-pretty text-fg3">
          Answers when this one is overloaded, out of quota or not reached. The session says so.
        </p>
      )}
      <Problem words={problem?.words ?? ""} />
    </>
  );
}
