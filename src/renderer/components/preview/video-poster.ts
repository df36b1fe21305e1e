/** Pixels of the longer side of a poster. */
export const POSTER_SIDE = 480;
/** Time limit for browsers that neither play nor refuse a file. */
const PATIENCE_MS = 10_000;

/**
 * Draws an early frame of a video. The first one is often black, so it is taken from within the first second.
 * @throws Error if the browser cannot play it
 */
export async function videoPoster(blob: Blob, type: string): Promise<Blob> {
  const url = URL.createObjectURL(blob.slice(0, blob.size, type));
  const video = document.createElement('video');
  video.muted = true;
  video.preload = 'auto';
  try {
    const loaded = told(video, 'loadeddata');
    video.src = url;
    await loaded;
    if (Number.isFinite(video.duration) && video.duration > 0) {
      const sought = told(video, 'seeked');
      video.currentTime = Math.min(1, video.duration / 4);
      await sought;
    }
    const scale = Math.min(1, POSTER_SIDE / Math.max(video.videoWidth, video.videoHeight));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(video.videoWidth * scale));
    canvas.height = Math.max(1, Math.round(video.videoHeight * scale));
    canvas.getContext('2d')?.drawImage(video, 0, 0, canvas.width, canvas.height);
    return await pictureOf(canvas);
  } finally {
    video.removeAttribute('src');
    video.load();
    URL.revokeObjectURL(url);
  }
}

/** @throws Error if the canvas cannot be encoded */
export function pictureOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((made) => (made === null ? reject(new Error('no picture')) : resolve(made)), 'image/webp', 0.85);
  });
}

function told(video: HTMLVideoElement, event: 'loadeddata' | 'seeked'): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => end(reject), PATIENCE_MS);
    const end = (settle: (reason?: Error) => void) => {
      clearTimeout(timer);
      settle(new Error('not playable'));
    };
    video.addEventListener(event, () => end(() => resolve()), { once: true });
    video.addEventListener('error', () => end(reject), { once: true });
  });
}
