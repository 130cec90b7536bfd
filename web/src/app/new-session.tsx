import { Bug, GitCompareArrows, type LucideIcon, Map as MapIcon } from "lucide-react";
import { NEW, writeDraft } from "@/features/composer/drafts";
import { openOnboarding } from "@/features/onboarding/opened";
import { NoModelHelp } from "@/features/status/no-model";
import { useDaemonStatus } from "@/features/status/use-daemon-status";
import { TrustCard } from "@/features/trust/trust-card";
import { useEvents } from "@/lib/events/store";

interface Idea {
  icon: LucideIcon;
  label: string;
  prompt: string;
}

const IDEAS: readonly Idea[] = [
  { icon: Bug, label: "Find why a test is flaky", prompt: "Find why a test is flaky: " },
  { icon: MapIcon, label: "Explain how this project is built", prompt: "Explain how this project is built and tested." },
  {
    icon: GitCompareArrows,
    label: "Review my uncommitted changes",
    prompt: "Review my uncommitted changes and tell me what you would mend.",
  },
];

/** In the sample project of the tour nothing else is of use. */
const TOUR: readonly Idea[] = [{ icon: MapIcon, label: "Begin the tour", prompt: "Show me how this works." }];

function take(prompt: string): void {
  writeDraft(NEW, prompt);
  const field = document.querySelector<HTMLTextAreaElement>("[data-composer]");
  field?.focus();
  // Once React has put the text in, the caret goes behind it.
  requestAnimationFrame(() => field?.setSelectionRange(prompt.length, prompt.length));
}

/** Before the first message: what to write, and how to get a model where there is none. */
export function NewSession() {
  const status = useDaemonStatus();
  const answered = status?.model.usable !== false;
  const isFirst = useEvents((events) => events.rows !== null && Object.keys(events.rows).length === 0);
  const name = status?.workspace_name ?? "this project";
  return (
    <div className="min-h-0 grow overflow-y-auto px-6 small:px-4">
      <div className="mx-auto flex min-h-full max-w-120 flex-col justify-center gap-4 py-7">
        <div>
          <h2 className="heading text-h2 text-balance">
            {isFirst ? `No session yet in ${name}` : `What should change in ${name}?`}
          </h2>
          <p className="mt-1.5 text-compose text-pretty text-fg2">
            Write what should change. The agent asks before it edits or runs anything.
          </p>
        </div>
        <TrustCard />
        <NoModelHelp onChoose={openOnboarding} />
        <ul className={answered ? "flex flex-col gap-2" : "hidden"}>
          {(status?.model.scripted === true ? TOUR : IDEAS).map(({ icon: Icon, label, prompt }) => (
            <li key={label}>
              <button
                type="button"
                onClick={() => { take(prompt); }}
                className="flex h-10 w-full items-center gap-2.5 rounded-sheet border border-line1 bg-bg2 px-3.5 text-ui hover-fade hover:bg-bg3"
              >
                <Icon size={15} strokeWidth={1.6} aria-hidden="true" className="shrink-0 text-fg2" />
                <span className="truncate">{label}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
