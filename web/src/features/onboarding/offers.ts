/** What was found and can be chosen. Pure. */
import type { FoundModels, ProfileInput } from "@/generated/daemon";

/** What stands in the list: everything that was found, save the tour, which has a place of its own. */
export function offersOf(found: readonly FoundModels[]): FoundModels[] {
  return found.filter(({ kind }) => kind !== "tour");
}

/** What is chosen before the person chose: what answers already, else the first that is ready. */
export function firstChoice(offers: readonly FoundModels[]): string | null {
  const ready = offers.filter((offer) => offer.ready);
  return (ready.find(({ in_use }) => in_use) ?? ready[0])?.id ?? null;
}

/** Give what saves an offer as the model of new sessions. */
export function profileOf(offer: FoundModels): ProfileInput {
  return {
    name: offer.profile_name,
    kind: offer.profile_kind,
    base_url: offer.base_url,
    model: offer.model,
    make_default: "user",
    ...(offer.key_variable === "" ? {} : { key_variable: offer.key_variable }),
  };
}

/** "127.0.0.1:11434", without scheme and route; "" when there is no address. */
export function placeOf(baseUrl: string): string {
  try {
    return new URL(baseUrl).host;
  } catch {
    return baseUrl;
  }
}

/** The second line of an offer. */
export function factsOf(offer: FoundModels): string {
  if (!offer.ready) {
    return offer.problem;
  }
  if (offer.kind === "environment") {
    return "read at each start, not copied";
  }
  const others = offer.models.length - 1;
  const more = others > 0 ? `and ${others} more` : "";
  const owner = offer.own_listener ? "free, stays on this computer" : "on this computer, maybe of another user";
  return [more, owner].filter((text) => text !== "").join(" · ");
}
