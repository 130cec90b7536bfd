import { FileText, Terminal } from "lucide-react";
import type { TrustItem } from "@/generated/daemon";

const KINDS: Record<string, string> = { instructions: "Instructions", git: "Git runs a program", mcp: "MCP server", hook: "Hook", skill: "Skill" };

/** What a folder holds that trust would let run or be obeyed, each command whole. */
export function TrustItems({ items, trusted = false }: { items: readonly TrustItem[]; trusted?: boolean }) {
  return (
    <ul className="flex flex-col">
      {items.map((item, place) => {
        const runs = item.effect === "run";
        const Icon = runs ? Terminal : FileText;
        return (
          <li key={place} className="flex gap-2.5 border-t border-line1 py-2 first:border-t-0">
            <Icon size={15} strokeWidth={1.6} aria-hidden="true" className={`mt-0.5 shrink-0 ${runs ? "text-ochre" : "text-fg2"}`} />
            <div className="min-w-0 grow">
              <div className="text-ui">
                <span className="font-semibold">{KINDS[item.kind] ?? item.kind}</span>{" "}
                <code dir="ltr" className="text-code break-all text-fg2">
                  {item.path}
                </code>
              </div>
              <p dir="auto" className="text-meta break-words whitespace-pre-wrap text-fg2">
                {item.detail}
              </p>
            </div>
            <span className={`inline-flex h-5 shrink-0 items-center rounded-chip bg-bg3 px-1.5 text-meta ${runs ? "text-ochre" : "text-fg2"}`}>
              {runs ? (trusted ? "runs" : "would run") : trusted ? "is read" : "would be read"}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
