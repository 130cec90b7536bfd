import { TriangleAlert } from "lucide-react";
import { useState } from "react";
import { Banner } from "@/components/banner";
import { useDaemonStatus } from "./use-daemon-status";

/** What the daemon found broken at its start and set aside. */
export function NoticeBanners() {
  const status = useDaemonStatus();
  const [read, setRead] = useState<readonly string[]>([]);
  const unread = (status?.notices ?? []).filter((notice) => !read.includes(notice));
  return unread.map((notice) => (
    <Banner
      key={notice}
      icon={TriangleAlert}
      tone="warning"
      action={{ label: "Got it", onSelect: () => { setRead([...read, notice]); } }}
    >
      {notice}
    </Banner>
  ));
}
