import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import { Button } from "@/components/button";
import type { FoundModels, ProfileInfo } from "@/generated/daemon";
import { useEscape } from "@/hooks/use-escape";
import { sentenceOf } from "@/lib/api-client";
import { changeProfile, checkProfile, chooseDefault, foundQuery, profilesQuery, readProfilesAnew, saveProfile } from "@/lib/profiles";
import { FoundList } from "./found-list";
import { firstChoice, offersOf, profileOf } from "./offers";
import { OwnServerCard } from "./own-server-card";
import { Steps } from "./steps";
import { TourCard } from "./tour-card";

const FORM = "found-models";

interface OnboardingPageProps {
  folder: string;
  /** It was asked for: going back is what leaves it. */
  asked: boolean;
  /** A model was chosen, or the person goes on without one. */
  onDone: () => void;
}

/** Let new sessions use an offer; a key of the environment is tried first, it may be an old one. */
async function takeOffer(offer: FoundModels): Promise<void> {
  if (offer.saved_as !== null) {
    await chooseDefault({ scope: "user", profile: offer.saved_as });
    return;
  }
  const profile = profileOf(offer);
  if (offer.kind === "environment") {
    const variable = offer.key_variable === "" ? {} : { key_variable: offer.key_variable };
    const checked = await checkProfile({ kind: offer.profile_kind, base_url: offer.base_url, ...variable });
    if (!checked.ok) {
      throw new Error(checked.problem);
    }
    profile.model = offer.model === "" ? checked.model : offer.model;
  }
  await saveProfile(profile);
}

function useChoice(onDone: () => void) {
  const client = useQueryClient();
  const found = useQuery(foundQuery);
  const [picked, setPicked] = useState<string | null>(null);
  const [own, setOwn] = useState<ProfileInfo | null>(null);
  const [taking, setTaking] = useState(false);
  const [problem, setProblem] = useState("");
  const offers = found.data === undefined ? null : offersOf(found.data.items);
  const ready = (offers ?? []).filter((offer) => offer.ready);
  const chosen = own === null ? ready.find(({ id }) => id === (picked ?? firstChoice(ready))) : undefined;
  const take = async () => {
    setTaking(true);
    setProblem("");
    try {
      if (own === null && chosen !== undefined) {
        await takeOffer(chosen);
        await readProfilesAnew(client);
      }
      onDone();
    } catch (error) {
      setProblem(sentenceOf(error));
      setTaking(false);
    }
  };
  return {
    found,
    offers,
    chosen,
    own,
    taking,
    problem,
    can: !taking && (own !== null || chosen !== undefined),
    take: () => void take(),
    pick: (id: string) => {
      setPicked(id);
      setOwn(null);
      setProblem("");
    },
    setOwn,
    setModel: (profile: ProfileInfo, model: string) => {
      setOwn({ ...profile, model });
      void changeProfile(profile.name, { model })
        .then(() => readProfilesAnew(client))
        .catch((error: unknown) => { setProblem(sentenceOf(error)); });
    },
  };
}

/** Enter goes on, wherever the keyboard is that no field or button has it. */
function useEnter(act: () => void, active: boolean): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isFree = !event.defaultPrevented && document.activeElement === document.body;
      if (event.key === "Enter" && active && isFree && !event.repeat && !event.isComposing) {
        event.preventDefault();
        act();
      }
    };
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("keydown", onKey);
    };
  });
}

type Choice = ReturnType<typeof useChoice>;

function continueWords({ own, chosen, taking }: Choice): string {
  if (taking) {
    return "One moment";
  }
  const name = own === null ? chosen?.model || chosen?.profile_name : own.model || own.name;
  return name === undefined ? "Continue" : `Continue with ${name}`;
}

function Foot({ choice, asked, onDone }: { choice: Choice; asked: boolean; onDone: () => void }) {
  return (
    <>
      {choice.problem === "" ? null : (
        <p role="alert" className="mb-3 text-ui text-pretty text-bad select-text">
          {choice.problem}
        </p>
      )}
      <footer className="flex flex-wrap items-center justify-end gap-3 small:flex-col-reverse small:items-stretch">
        <Button variant="quiet" size="large" className={asked ? "not-small:me-auto" : ""} onClick={onDone}>
          {asked ? "Back" : "Skip this for now"}
        </Button>
        <Button
          type="submit"
          form={FORM}
          variant="primary"
          size="large"
          keys="Enter"
          disabled={!choice.can}
          className="max-w-full"
        >
          <span className="truncate">{continueWords(choice)}</span>
        </Button>
      </footer>
    </>
  );
}

/** Which model answers: what was found, what the person brings, or the tour. */
export function OnboardingPage({ folder, asked, onDone }: OnboardingPageProps) {
  const choice = useChoice(onDone);
  const { data: profiles } = useQuery(profilesQuery);
  useEnter(choice.take, choice.can);
  useEscape(asked ? onDone : null);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (choice.can) {
      choice.take();
    }
  };
  return (
    <main data-region="onboarding" className="flex min-w-0 grow flex-col overflow-y-auto">
      <div className="mx-auto flex min-h-full w-[calc(100%-3rem)] max-w-182 flex-col pt-14 pb-8 small:w-[calc(100%-2rem)] small:pt-6">
        <Steps folder={folder} />
        <h1 className="heading mt-4 text-h1 text-balance">Which model should answer?</h1>
        <p className="mt-2 text-compose text-pretty text-fg2">
          We looked on this computer and in your environment. You can change this at any time, for each session.
        </p>
        <form id={FORM} onSubmit={onSubmit} className="mt-8">
          <FoundList
            offers={choice.offers}
            problem={choice.found.error === null ? "" : sentenceOf(choice.found.error)}
            lookedAt={choice.found.dataUpdatedAt}
            looking={choice.found.isFetching}
            chosen={choice.chosen?.id ?? null}
            onChoose={choice.pick}
            onLook={() => void choice.found.refetch()}
          />
        </form>
        <h2 className="mt-9 mb-2 text-ui font-semibold">Or bring your own</h2>
        <OwnServerCard
          taken={(profiles?.items ?? []).map((profile) => profile.name)}
          keyring={profiles?.keyring ?? null}
          onSaved={choice.setOwn}
          onModel={choice.setModel}
        />
        <div className="mt-4">
          <TourCard />
        </div>
        <span className="min-h-8 grow" />
        <Foot choice={choice} asked={asked} onDone={onDone} />
      </div>
    </main>
  );
}
