export function typeOf(data: Blob): Promise<string | null>;
