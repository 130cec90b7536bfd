import { Unplug } from "lucide-react";
import { useEffect, useState } from "react";
import { Banner } from "@/components/banner";
import { reconnect, useEvents } from "@/lib/events/store";

/** A connection that comes back at once is not worth a word. */
const UNSAID_MS = 700;

interface ConnectionBannerProps {
  running: boolean;
}

/** Says that the daemon is out of reach, and that nothing is lost. */
export function ConnectionBanner({ running }: ConnectionBannerProps) {
  const socket = useEvents((events) => events.socket);
  const lost = socket.is === "lost";
  const [said, setSaid] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => { setSaid(lost); }, lost ? UNSAID_MS : 0);
    return () => {
      clearTimeout(timer);
    };
  }, [lost]);
  if (!said || !lost) {
    return null;
  }
  return (
    <Banner
      icon={Unplug}
      assertive
      fact={`try ${socket.attempt}`}
      action={{ label: "Try now", onSelect: reconnect }}
    >
      {running
        ? "Connection lost. The run goes on; reading resumes where you were."
        : "Connection lost. Nothing is lost; the page comes back by itself."}
    </Banner>
  );
}
