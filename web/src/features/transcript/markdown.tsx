import type { ListItem, PhrasingContent, RootContent, TableRow } from "mdast";
import type { ReactNode } from "react";
import { Fragment, memo, useState } from "react";
import { growBlocks, NO_BLOCKS } from "@/lib/markdown/blocks";
import { hostOf, safeAddress } from "@/lib/markdown/links";
import { useTranscriptActions } from "./actions";
import { CodeBlock } from "./code-block";
import { Folded } from "./folded";

interface MarkdownProps {
  text: string;
  /** A caret stands after the last character. */
  live?: boolean;
}

/** Longer text is Markdown only at its beginning: parsing all of it would hold up the page. */
const LONGEST = 1024 * 1024;
const SHOWN = 8 * 1024;

/**
 * Markdown that a model wrote: a tree of elements, no HTML, no picture that loads by itself.
 * Each delta draws the transcript's rows anew: a text that did not change is left alone.
 */
export const Markdown = memo(function Markdown({ text, live }: MarkdownProps) {
  return text.length > LONGEST ? <LongText text={text} /> : <WholeMarkdown text={text} live={live} />;
});

function LongText({ text }: { text: string }) {
  const [opened, setOpened] = useState(false);
  return (
    <div className="flex flex-col gap-3">
      <WholeMarkdown text={text.slice(0, SHOWN)} />
      {opened ? (
        <p dir="auto" className="text-read break-all whitespace-pre-wrap">
          {text.slice(SHOWN)}
        </p>
      ) : (
        <Folded rest={`${(text.length - SHOWN).toLocaleString("en")} characters`} onOpen={() => { setOpened(true); }} />
      )}
    </div>
  );
}

function WholeMarkdown({ text, live = false }: MarkdownProps) {
  const [before, setBefore] = useState(NO_BLOCKS);
  const blocks = growBlocks(before, text);
  if (blocks !== before) setBefore(blocks);
  const last = blocks.growing.at(-1);
  return (
    <div className={`flex flex-col gap-3 text-read break-words ${live ? "live-text" : ""}`}>
      {[...blocks.final, ...blocks.growing].map((block) => (
        <Block key={block.start} node={block.node} growing={live && block === last} />
      ))}
    </div>
  );
}

const HEADINGS = ["text-h3 heading", "text-h3 heading", "text-read font-semibold"];

/** A block is drawn again only when it is another one: what is final keeps its identity. */
const Block = memo(function Block({ node, growing = false }: { node: RootContent; growing?: boolean }): ReactNode {
  switch (node.type) {
    case "paragraph":
      return (
        <p dir="auto">
          <Inline nodes={node.children} />
        </p>
      );
    case "heading":
      return (
        <p dir="auto" role="heading" aria-level={node.depth + 1} className={HEADINGS[Math.min(node.depth, 3) - 1]}>
          <Inline nodes={node.children} />
        </p>
      );
    case "code":
      return <CodeBlock code={node.value} language={node.lang ?? ""} growing={growing} />;
    case "blockquote":
      return (
        <blockquote dir="auto" className="flex flex-col gap-2 border-s-2 border-line2 ps-3 text-fg2">
          <Blocks nodes={node.children} />
        </blockquote>
      );
    case "list":
      return <List node={node} />;
    case "table":
      return <Table rows={node.children} />;
    case "thematicBreak":
      return <hr className="border-line1" />;
    case "html":
      return <p className="font-mono text-code whitespace-pre-wrap text-fg2">{node.value}</p>;
    default:
      return null;
  }
});

const Blocks = ({ nodes }: { nodes: RootContent[] }) =>
  nodes.map((node, index) => <Block key={index} node={node} />);

function List({ node }: { node: Extract<RootContent, { type: "list" }> }) {
  const Tag = node.ordered ? "ol" : "ul";
  return (
    <Tag
      dir="auto"
      start={node.ordered ? (node.start ?? 1) : undefined}
      className={`flex flex-col gap-1.5 ps-6 marker:text-fg3 ${node.ordered ? "list-decimal" : "list-disc"}`}
    >
      {node.children.map((item, index) => (
        <Item key={index} item={item} />
      ))}
    </Tag>
  );
}

const Item = memo(function Item({ item }: { item: ListItem }) {
  return (
    <li className={typeof item.checked === "boolean" ? "list-none" : undefined}>
      {typeof item.checked === "boolean" ? (
        <input type="checkbox" checked={item.checked} readOnly disabled className="-ms-5 me-2 align-middle" />
      ) : null}
      <div className="inline-flex max-w-full flex-col gap-1.5 align-top">
        <Blocks nodes={item.children} />
      </div>
    </li>
  );
});

function Table({ rows }: { rows: TableRow[] }) {
  return (
    <div className="overflow-x-auto rounded-well border border-line1">
      <table className="w-full text-ui">
        <tbody>
          {rows.map((row, index) => (
            <tr key={index} className={index === 0 ? "bg-well font-semibold" : "border-t border-line1"}>
              {row.children.map((cell, column) => (
                <td key={column} dir="auto" className="px-3 py-1.5 text-start align-top">
                  <Inline nodes={cell.children} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Inline = ({ nodes }: { nodes: PhrasingContent[] }) =>
  nodes.map((node, index) => <Fragment key={index}>{inline(node)}</Fragment>);

const WRAPPERS = { strong: "strong", emphasis: "em", delete: "del" } as const;

function inline(node: PhrasingContent): ReactNode {
  switch (node.type) {
    case "text":
    case "html":
      return node.value;
    case "inlineCode":
      return (
        <code dir="ltr" className="rounded-chip bg-bg3 px-1 py-px text-[0.87em] [unicode-bidi:isolate]">
          {node.value}
        </code>
      );
    case "strong":
    case "emphasis":
    case "delete": {
      const Tag = WRAPPERS[node.type];
      return (
        <Tag>
          <Inline nodes={node.children} />
        </Tag>
      );
    }
    case "break":
      return <br />;
    case "link":
      return (
        <Link url={node.url}>
          <Inline nodes={node.children} />
        </Link>
      );
    case "image":
      return <ImagePlace alt={node.alt ?? ""} url={node.url} />;
    default:
      return "children" in node ? <Inline nodes={node.children} /> : null;
  }
}

/** A picture never loads by itself: its address could carry what the model has read. */
function ImagePlace({ alt, url }: { alt: string; url: string }) {
  const name = alt || hostOf(url) || "no address";
  return <span className="rounded-chip bg-bg3 px-1 text-fg2">Image not loaded: {name}</span>;
}

function Link({ url, children }: { url: string; children: ReactNode }) {
  const { openLink } = useTranscriptActions();
  const address = safeAddress(url);
  if (address === null) return <span>{children}</span>;
  return (
    <a
      href={address}
      title={address}
      rel="noopener noreferrer"
      className="text-info underline decoration-info/40 underline-offset-2 hover:decoration-info"
      onClick={(event) => {
        event.preventDefault();
        openLink(address);
      }}
      onAuxClick={(event) => {
        event.preventDefault();
      }}
    >
      {children}
    </a>
  );
}
