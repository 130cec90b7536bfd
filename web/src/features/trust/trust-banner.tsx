import { useQuery } from "@tanstack/react-query";
import { FolderLock } from "lucide-react";
import { Banner } from "@/components/banner";
import { isOpen, trustQuery } from "@/lib/trust";

/** Says in a session that began before the decision that the folder's own things do not count. */
export function TrustBanner({ onReview }: { onReview: () => void }) {
  const { data } = useQuery(trustQuery);
  if (!isOpen(data)) {
    return null;
  }
  const things = data.items.length === 1 ? "1 thing of it does" : `${data.items.length} things of it do`;
  return (
    <Banner icon={FolderLock} action={{ label: "Review", onSelect: onReview }}>
      This folder is not trusted yet: {things} not count.
    </Banner>
  );
}
