import { Search } from "lucide-react";
import { useState } from "react";
import { Dialog } from "@/components/dialog";
import type { ModelInfo } from "@/generated/daemon";
import { useListbox } from "@/hooks/use-listbox";

interface ModelDialogProps {
  /** The server they belong to. */
  server: string;
  models: readonly ModelInfo[];
  onPick: (model: string) => void;
  onClose: () => void;
}

/** More than these are found by typing on. */
const MOST_SHOWN = 200;

/** Choose one of a server's models, of which there may be hundreds. */
export function ModelDialog({ server, models, onPick, onClose }: ModelDialogProps) {
  const [words, setWords] = useState("");
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = models.filter(({ name }) => wanted.every((word) => name.toLowerCase().includes(word)));
  const shown = found.slice(0, MOST_SHOWN);
  const { field, list, option, active } = useListbox(
    shown.map(({ name }) => name),
    (name) => {
      onPick(name);
      onClose();
    },
  );
  return (
    <Dialog open onClose={onClose} title={`Models of ${server}`}>
      <div className="relative">
        <Search size={15} strokeWidth={1.6} aria-hidden="true" className="absolute start-3 top-2.5 text-fg3" />
        <input
          {...field}
          value={words}
          aria-label="Find a model"
          placeholder="Find a model"
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => { setWords(event.target.value); }}
          className="h-9 w-full rounded-control border border-line3 bg-bg2 ps-9 pe-3 text-ui"
        />
      </div>
      <ul {...list} aria-label="Models" className="mt-2 max-h-80 overflow-y-auto">
        {shown.map((model) => (
          <li
            key={model.name}
            {...option(model.name)}
            className={`flex items-baseline gap-3 rounded-control px-3 py-1.5 ${model.name === active ? "bg-bg3" : ""}`}
          >
            <span className="min-w-0 grow font-mono text-code break-all">{model.name}</span>
            {model.context_window === null ? null : (
              <span className="tabular shrink-0 text-meta text-fg3">{Math.round(model.context_window / 1000)}k tokens</span>
            )}
          </li>
        ))}
      </ul>
      <p role="status" className="px-3 pt-2 text-meta text-fg3 empty:hidden">
        {found.length === 0 ? `No model holds “${words}”.` : found.length > MOST_SHOWN ? `${found.length - MOST_SHOWN} more: type on` : ""}
      </p>
    </Dialog>
  );
}
