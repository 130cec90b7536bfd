import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus, RefreshCw } from "lucide-react";
import { Button } from "@/components/button";
import { Menu, MenuChoice, MenuChoices, MenuSeparator } from "@/components/menu";
import { Setting, SettingsCard } from "@/components/settings-frame";
import { Skeleton } from "@/components/skeleton";
import type { DefaultModelInput, ProfileInfo, ProfileList } from "@/generated/daemon";
import { sentenceOf } from "@/lib/api-client";
import { chooseDefault, profilesQuery, readProfilesAnew } from "@/lib/profiles";
import { showToast } from "@/lib/toasts";
import { check } from "./checks";
import { ChoiceButton } from "./choice-button";
import { CopilotLogin } from "./copilot-login";
import { ProfileRow } from "./profile-row";
import { choiceWords } from "./profile-words";

interface ModelSettingsProps {
  project: string;
  onAdd: () => void;
}

/** Which model answers by default, and the servers that are known. */
export function ModelSettings({ project, onAdd }: ModelSettingsProps) {
  const { data, error } = useQuery(profilesQuery);
  if (data === undefined) {
    return error === null ? (
      <Skeleton className="h-40 w-full rounded-card" />
    ) : (
      <p role="alert" className="text-ui text-bad">
        {sentenceOf(error)}
      </p>
    );
  }
  const servers = data.items.filter(({ kind }) => kind !== "tour");
  return (
    <>
      <SettingsCard>
        <Setting
          title="New sessions use"
          description="In every project that chose nothing of its own. The picker in the composer shows which one applies."
        >
          <DefaultMenu scope="user" profiles={data} subject="New sessions use" none="What is found first" />
        </Setting>
        <Setting title={`In ${project === "" ? "this project" : project}`} description="A project can choose its own.">
          <DefaultMenu scope="workspace" profiles={data} subject="This project uses" none="Same as everywhere" />
        </Setting>
      </SettingsCard>
      <section aria-labelledby="servers">
        <header className="mb-2 flex items-center gap-2">
          <h2 id="servers" className="grow text-ui font-semibold">
            Model servers
          </h2>
          <Button variant="quiet" size="small" icon={RefreshCw} disabled={servers.length === 0} onClick={() => { servers.forEach(({ name }) => void check(name)); }}>
            Check all
          </Button>
          <Button size="small" icon={Plus} onClick={onAdd}>
            Add a model
          </Button>
        </header>
        <SettingsCard>
          {servers.length === 0 ? (
            <p className="px-4.5 py-4 text-ui text-fg2">None is known yet. Add one, or start a server on this computer.</p>
          ) : (
            servers.map((profile) => <ProfileRow key={profile.name} profile={profile} />)
          )}
        </SettingsCard>
      </section>
      <CopilotLogin />
    </>
  );
}

interface DefaultMenuProps {
  scope: DefaultModelInput["scope"];
  profiles: ProfileList;
  subject: string;
  /** What it means that nothing is chosen. */
  none: string;
}

/** Radix' values are words: this one stands for "nothing chosen". No profile has an empty name. */
const NONE = "";

function DefaultMenu({ scope, profiles, subject, none }: DefaultMenuProps) {
  const client = useQueryClient();
  const chosen = (scope === "user" ? profiles.default : profiles.workspace) ?? NONE;
  const known = profiles.items.find(({ name }) => name === chosen);
  const label = known === undefined ? chosen || none : choiceWords(known);
  const choose = async (profile: string) => {
    try {
      const list = await chooseDefault({ scope, profile: profile === NONE ? null : profile });
      client.setQueryData(profilesQuery.queryKey, list);
      await readProfilesAnew(client);
    } catch (error) {
      showToast(sentenceOf(error), { tone: "bad" });
    }
  };
  return (
    <Menu
      align="end"
      label={subject}
      trigger={<ChoiceButton subject={subject} label={label} />}
    >
      <MenuChoices value={chosen} label={subject} onChange={(value) => void choose(value)}>
        <MenuChoice value={NONE} label={none} />
        <MenuSeparator />
        {profiles.items.map((profile: ProfileInfo) => (
          <MenuChoice
            key={profile.name}
            value={profile.name}
            label={choiceWords(profile)}
            {...(profile.problem === "" ? {} : { description: profile.problem })}
          />
        ))}
      </MenuChoices>
    </Menu>
  );
}
