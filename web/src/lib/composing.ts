interface KeyLike {
  key: string;
  keyCode: number;
  nativeEvent?: { isComposing: boolean };
  isComposing?: boolean;
}

/**
 * Whether a key press belongs to an input method. The Enter that confirms a candidate says
 * `isComposing`, or comes right after `compositionend` with the key code 229 (WebKit).
 */
export function isComposing(event: KeyLike): boolean {
  return (event.nativeEvent?.isComposing ?? event.isComposing ?? false) || event.keyCode === 229;
}
