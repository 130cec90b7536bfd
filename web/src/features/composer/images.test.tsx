import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TooltipProvider } from "@/components/tooltip";
import { emptyState } from "@/lib/events/reducer";
import { useToasts } from "@/lib/toasts";
import { row } from "@/testing/rows";
import { type Call, serve } from "@/testing/server";
import { Composer } from "./composer";
import { NEW, writeDraft } from "./drafts";
import { dropImages, imagesOf } from "./images";

const ACCEPTED = { message_id: "m", run_id: "r", seq: 1, queued: false };

let revoked: string[];
let calls: Call[];

function image(name = "shot.png", type = "image/png", size = 2048): File {
  return new File([new Uint8Array(size)], name, { type });
}

function answer({ method, path }: Call) {
  if (method === "PUT") {
    return { body: { attachment_id: `sha-${path.split("/").at(-1) ?? ""}` } };
  }
  if (path === "/api/sessions") {
    return { body: row("ses_2") };
  }
  return path === "/api/models"
    ? { body: { items: [], next_cursor: null, default: "small", problem: "" } }
    : { body: ACCEPTED };
}

function show(sessionId: string | null = "ses_1") {
  const on = { onMode: vi.fn(), onModel: vi.fn(), onAddModel: vi.fn(), onStop: vi.fn(), onSent: vi.fn() };
  const state = sessionId === null ? undefined : emptyState(sessionId);
  render(
    <QueryClientProvider client={new QueryClient()}>
      <TooltipProvider>
        <Composer sessionId={sessionId} state={state} mode="default" model={null} {...on} />
      </TooltipProvider>
    </QueryClientProvider>,
  );
  return { ...on, field: screen.getByRole("textbox", { name: "Message to the agent" }) };
}

const sent = (method: string) => calls.filter((call) => call.method === method);
const chips = () => within(screen.getByRole("list", { name: "Attached images" })).getAllByRole("listitem");

function paste(field: HTMLElement, files: File[], types = ["Files"]): void {
  fireEvent.paste(field, { clipboardData: { files, types } });
}

beforeEach(() => {
  let made = 0;
  URL.createObjectURL = () => `blob:${++made}`;
  URL.revokeObjectURL = (url) => { revoked.push(url); };
  revoked = [];
  for (const key of [NEW, "ses_1", "ses_2"]) {
    dropImages(key, imagesOf(key).map(({ id }) => id));
    writeDraft(key, "");
  }
  revoked = [];
  useToasts.setState({ items: [] });
  calls = serve(answer);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it("sends a pasted image before the message that names it, and lets its bytes go", async () => {
  const { field, onSent } = show();
  paste(field, [image()]);
  expect(chips()[0]).toHaveTextContent("shot.png2 KB");
  await userEvent.type(field, "Look{Enter}");
  await waitFor(() => { expect(onSent).toHaveBeenCalledOnce(); });
  expect(sent("PUT").map(({ path }) => path)).toEqual(["/api/sessions/ses_1/attachments/shot.png"]);
  expect(sent("PUT")[0]?.body).toBeInstanceOf(Blob);
  expect(sent("POST")[0]?.body).toMatchObject({ text: "Look", attachments: ["sha-shot.png"] });
  expect(screen.queryByRole("list", { name: "Attached images" })).toBeNull();
  expect(revoked).toEqual(["blob:1"]);
});

it("begins a session with images that were dropped on the page or picked", async () => {
  const { onSent, field } = show(null);
  fireEvent.drop(document.body, { dataTransfer: { files: [image("a.webp", "image/webp")], types: ["Files"] } });
  await userEvent.upload(screen.getByLabelText("Images to attach"), image("b.gif", "image/gif"));
  expect(chips()).toHaveLength(2);
  await userEvent.type(field, "Compare{Enter}");
  await waitFor(() => { expect(onSent).toHaveBeenCalledOnce(); });
  expect(sent("PUT").map(({ path }) => path)).toEqual([
    "/api/sessions/ses_2/attachments/a.webp",
    "/api/sessions/ses_2/attachments/b.gif",
  ]);
  expect(sent("POST").at(-1)?.body).toMatchObject({ attachments: ["sha-a.webp", "sha-b.gif"] });
});

it("leaves pasted text to the field, with whatever came beside it", () => {
  const { field } = show();
  paste(field, [image()], ["text/plain", "Files"]);
  expect(screen.queryByRole("list", { name: "Attached images" })).toBeNull();
});

it("says what cannot be attached, and keeps the rest", () => {
  const { field } = show();
  paste(field, [image("plan.pdf", "application/pdf"), image("ok.jpg", "image/jpeg")]);
  expect(chips()).toHaveLength(1);
  expect(useToasts.getState().items[0]?.text).toMatch(/^plan.pdf was not attached: models take PNG/);
});

it("takes an image out by keyboard and goes on with its neighbour, then with the text", async () => {
  const { field } = show();
  paste(field, [image("a.png"), image("b.png")]);
  screen.getByRole("button", { name: "Remove a.png" }).focus();
  await userEvent.keyboard("{Enter}");
  expect(screen.getByRole("button", { name: "Remove b.png" })).toHaveFocus();
  await userEvent.keyboard("{Delete}");
  expect(field).toHaveFocus();
  expect(revoked).toEqual(["blob:1", "blob:2"]);
});

it("keeps text and images when the model takes none, and does not put them again", async () => {
  const detail = "The model of this session does not take pictures.";
  let refuses = true;
  calls = serve((call) =>
    call.method === "POST" && refuses ? { status: 422, body: { code: "model_without_images", detail } } : answer(call),
  );
  const { field, onSent } = show();
  paste(field, [image()]);
  await userEvent.type(field, "Look{Enter}");
  expect(await screen.findByRole("alert")).toHaveTextContent(`Not sent. ${detail} Your text and images are kept.`);
  expect(field).toHaveValue("Look");
  refuses = false;
  await userEvent.click(screen.getByRole("button", { name: "Send again" }));
  await waitFor(() => { expect(onSent).toHaveBeenCalledOnce(); });
  expect(sent("PUT")).toHaveLength(1);
  const [first, second] = sent("POST").map(({ body }) => body);
  expect(second).toEqual(first);
});

it("sends the message without an image that is taken out on its way", async () => {
  let arrive = (): void => undefined;
  const held = new Promise<void>((resolve) => { arrive = resolve; });
  calls = serve(async (call) => {
    if (call.method === "PUT" && call.path.endsWith("a.png")) {
      await held;
    }
    return answer(call);
  });
  const { field, onSent } = show();
  paste(field, [image("a.png"), image("b.png")]);
  await userEvent.type(field, "Look{Enter}");
  await userEvent.click(await screen.findByRole("button", { name: "Do not send a.png" }));
  arrive();
  await waitFor(() => { expect(onSent).toHaveBeenCalledOnce(); });
  expect(sent("POST")[0]?.body).toMatchObject({ attachments: ["sha-b.png"] });
});
