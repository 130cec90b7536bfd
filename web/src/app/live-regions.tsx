import { useAnnouncements } from "@/lib/announce";

/** The two places a screen reader listens to; the transcript itself is not live. */
export function LiveRegions() {
  const { polite, assertive } = useAnnouncements();
  return (
    <>
      <div role="status" className="sr-only">
        {polite}
      </div>
      <div role="alert" className="sr-only">
        {assertive}
      </div>
    </>
  );
}
