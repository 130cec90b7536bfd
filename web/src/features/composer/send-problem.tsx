import { CircleAlert } from "lucide-react";
import { Banner } from "@/components/banner";

interface SendProblemProps {
  detail: string;
  /** How many images go with the text. */
  images: number;
  onRetry: () => void;
}

/** Why the message was not taken; the text still stands below. */
export function SendProblem({ detail, images, onRetry }: SendProblemProps) {
  return (
    <div className="pb-2">
      <Banner icon={CircleAlert} tone="bad" assertive action={{ label: "Send again", onSelect: onRetry }}>
        Not sent. {detail} {images === 0 ? "Your text is kept." : "Your text and images are kept."}
      </Banner>
    </div>
  );
}
