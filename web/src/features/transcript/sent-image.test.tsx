import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { TooltipProvider } from "@/components/tooltip";
import type { ImagePart } from "@/lib/protocol";
import { TranscriptActionsContext } from "./actions";
import { SentImage } from "./sent-image";

const PART: ImagePart = {
  type: "image",
  part_id: "p",
  attachment_id: "sha",
  media_type: "image/png",
  name: "shot.png",
  bytes: 2048,
  width: 1440,
  height: 900,
};

let revoked: string[];

beforeEach(() => {
  revoked = [];
  URL.createObjectURL = () => "blob:1";
  URL.revokeObjectURL = (url) => { revoked.push(url); };
});

function show(load: () => Promise<Blob>) {
  const actions = { openLink: vi.fn(), copy: vi.fn(), loadOutput: vi.fn(), undoCompaction: vi.fn(), openSession: vi.fn() };
  const loadImage = vi.fn(load);
  const { unmount } = render(
    <TooltipProvider>
      <TranscriptActionsContext value={{ ...actions, loadImage }}>
        <SentImage part={PART} />
      </TranscriptActionsContext>
    </TooltipProvider>,
  );
  return { unmount, loadImage };
}

it("shows an image by an address of the page's own, opens it larger, and lets it go", async () => {
  const { unmount, loadImage } = show(() => Promise.resolve(new Blob(["x"])));
  expect(await screen.findByRole("img", { name: "shot.png" })).toHaveAttribute("src", "blob:1");
  expect(loadImage).toHaveBeenCalledExactlyOnceWith("sha", expect.any(AbortSignal));
  await userEvent.click(screen.getByRole("button", { name: "Open shot.png" }));
  expect(screen.getByRole("dialog", { name: "shot.png" })).toHaveTextContent("1440 × 900, 2 KB");
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("dialog")).toBeNull();
  unmount();
  expect(revoked).toEqual(["blob:1"]);
});

it("says that an image cannot be shown", async () => {
  show(() => Promise.reject(new Error("gone")));
  expect(await screen.findByText("shot.png cannot be shown")).toBeVisible();
});
