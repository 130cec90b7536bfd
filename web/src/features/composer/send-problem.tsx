import { CircleAlert } from "lucide-react";
import { Banner } from "@/components/banner";

interface SendProblemProps {
  detail: string;
  onRetry: () => void;
}

/** Why the message was not taken; the text still stands below. */
export function SendProblem({ detail, onRetry }: SendProblemProps) {
  return (
    <div className="pb-2">
      <Banner icon={CircleAlert} tone="bad" assertive action={{ label: "Send again", onSelect: onRetry }}>
        Not sent. {detail} Your text is kept.
      </Banner>
    </div>
  );
}
