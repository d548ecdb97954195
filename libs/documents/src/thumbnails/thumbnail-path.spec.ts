import { findThumbnailInPath, thumbnailMediaPath } from './thumbnail-path.js';

const UID = '4f0c1e4e-9a0f-4a1e-9a52-0d3f4f0c1e4e';

describe('the path of a thumbnail', () => {
  it('is read back as it was written', () => {
    const name = { uid: UID, page: 12, width: 640 };
    expect(thumbnailMediaPath(name)).toBe(`/media/thumbnails/${UID}/12-640.webp`);
    expect(findThumbnailInPath(thumbnailMediaPath(name))).toEqual(name);
    expect(findThumbnailInPath(`thumbnails/${UID.toUpperCase()}/12-640.webp`)).toEqual(name);
  });

  it.each(['0-320', '-1-320', '01-320', '9999-320', '1-321', '1-12800', '1-320.webp/x', '1-%33%32%30', '../1-320'])(
    'names nothing as %s',
    (last) => {
      expect(findThumbnailInPath(`/media/thumbnails/${UID}/${last}.webp`)).toBeNull();
    },
  );
});
