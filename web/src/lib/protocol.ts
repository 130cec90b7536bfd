/** Short names for the generated protocol types. */
import type { components } from "@/generated/daemon";

type Schemas = components["schemas"];

export type Envelope = Schemas["Envelope"];
export type SessionState = Schemas["SessionState"];
export type SessionSummary = Schemas["SessionSummary"];
export type Message = Schemas["Message"];
export type Part = Message["parts"][number];
export type TextPart = Schemas["TextPart"];
export type ThinkingPart = Schemas["ThinkingPart"];
export type ImagePart = Schemas["ImagePart"];
export type ToolCallPart = Schemas["ToolCallPart"];
export type ToolResult = Schemas["ToolResult"];
export type FileDiff = Schemas["FileDiff"];
export type RunState = Schemas["RunState"];
export type NoticeState = Schemas["NoticeState"];
export type PermissionRequest = Schemas["PermissionRequest"];
export type Question = Schemas["Question"];
export type QuestionAnswer = Schemas["QuestionAnswer"];
export type Mode = SessionState["mode"];
export type SessionCounts = Schemas["SessionCounts"];
export type ServerMessage =
  | Schemas["ServerMessageSchema"]["message"]
  | { type: "event"; event: Envelope }
  | { type: "replay"; session_id: string; events: Envelope[] };
export type ClientMessage =
  | Schemas["SubscribeSession"]
  | Schemas["SubscribeTopic"]
  | Pick<Schemas["Unsubscribe"], "type"> & Partial<Schemas["Unsubscribe"]>
  | Schemas["Ping"];
