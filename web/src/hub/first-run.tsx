import { FolderOpen } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Button } from "@/components/button";
import { Logo } from "@/components/logo";
import { Hearth } from "@/hub/hearth";
import { PathField } from "@/hub/path-field";
import { addFolder, openFolder, refusalOf } from "@/hub/shell-actions";
import { useShell } from "@/hub/shell-store";

function Welcome() {
  return (
    <aside className="flex w-98 shrink-0 flex-col rounded-sheet bg-bg0 px-9 pt-8 pb-6 text-fg1 scheme-dark max-[859px]:hidden">
      <div className="flex items-center gap-2.5 text-read font-semibold">
        <Logo size={20} /> Lararium
      </div>
      <h1 className="heading mt-8 text-h1 text-balance">A keeper for each of your projects.</h1>
      <p className="mt-3 text-compose text-pretty text-fg2">
        Agents work in several folders at once, and come to you only when they must.
      </p>
      <div className="flex min-h-0 grow items-center justify-center py-6">
        <Hearth className="max-h-full w-65 text-fg1" />
      </div>
      <p className="text-meta text-fg3">
        Everything stays on this computer, except what you send to the model you choose. No account, no telemetry.
      </p>
    </aside>
  );
}

function PathForm() {
  const [path, setPath] = useState("");
  const [error, setError] = useState("");
  const [sending, setSending] = useState(false);
  const submit = async () => {
    setSending(true);
    try {
      await addFolder(path.trim());
    } catch (failure) {
      setError(refusalOf(failure).detail);
    } finally {
      setSending(false);
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void submit();
  };
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-3">
      <PathField
        value={path}
        error={error}
        onChange={(next) => {
          setPath(next);
          setError("");
        }}
      />
      <div>
        <Button type="submit" disabled={sending || path.trim() === ""}>
          Open this path
        </Button>
      </div>
    </form>
  );
}

/** Nothing is registered yet: one choice, which folder first. */
export function FirstRun() {
  const hasWindow = useShell((shell) => shell.state?.window === true);
  return (
    <div className="flex h-full gap-2 p-2">
      <Welcome />
      <main className="flex min-w-0 grow flex-col overflow-y-auto rounded-sheet border border-line1 bg-bg1">
        <div className="m-auto w-full max-w-130 px-6 py-10">
          <h2 className="heading text-h1 text-balance">Which folder first?</h2>
          <p className="mt-2 text-compose text-pretty text-fg2">
            A project is a folder. It gets a daemon of its own, which keeps its sessions and runs its agent. Nothing in
            it is changed or run until you ask for it.
          </p>
          {hasWindow ? (
            <>
              <Button
                variant="primary"
                size="large"
                icon={FolderOpen}
                className="mt-6"
                autoFocus
                onClick={() => void openFolder()}
              >
                Open a folder
              </Button>
              <p className="mt-9 mb-3 font-semibold">Or by its path</p>
            </>
          ) : (
            <div className="mt-6" />
          )}
          <div className="rounded-card border border-line1 bg-bg2 p-4 shadow-control">
            <PathForm />
          </div>
        </div>
      </main>
    </div>
  );
}
