"""Make the pictures in DIR, and pictures.tsv with the digests that the reference packages give.

    pip install pdqhash==0.2.8 ImageHash==4.3.2 Pillow numpy
    python3 gen_pictures.py DIR
"""

import sys
from pathlib import Path

import imagehash
import numpy
import pdqhash
from PIL import Image

WHITE = (255, 255, 255, 255)


def drawn(width, height, seed):
    """A picture without symmetry: rectangles and waves."""
    y, x = numpy.mgrid[0:height, 0:width]
    x, y = x / width, y / height
    state, layers = seed, []
    for _ in range(3):
        plane = numpy.zeros((height, width))
        for _ in range(60):
            values = []
            for _ in range(4):
                state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
                values.append((state >> 33) / 2**31)
            a, b, size, height_of = values
            plane += (height_of - 0.4) * ((abs(x - a) < 0.02 + 0.2 * size) & (abs(y - b) < 0.01 + 0.1 * height_of))
        plane += 0.2 * numpy.sin(9 * x + 5 * y * y + seed)
        layers.append(plane)
    rgb = numpy.stack(layers, axis=2)
    rgb = (rgb - rgb.min()) / (rgb.max() - rgb.min())
    return Image.fromarray((255 * rgb).astype(numpy.uint8))


def forms(picture):
    """Names and files' writers."""
    grey, colours = picture.convert("L"), picture.quantize(48)
    clear = picture.convert("RGBA")
    clear.putalpha(Image.linear_gradient("L").resize(picture.size))
    frames = [picture.rotate(20 * turn) for turn in range(2)]
    yield "baseline.jpg", lambda file: picture.save(file, quality=85)
    yield "progressive.jpg", lambda file: picture.save(file, quality=80, progressive=True)
    yield "restarts.jpg", lambda file: picture.save(file, quality=70, restart_marker_blocks=3, subsampling=0)
    yield "cmyk.jpg", lambda file: picture.convert("CMYK").save(file, quality=85)
    yield "grey.jpg", lambda file: grey.save(file, quality=85)
    yield "rgb.png", picture.save
    yield "palette.png", colours.save
    yield "alpha.png", clear.save
    yield "grey16.png", Image.fromarray((numpy.asarray(grey).astype(numpy.uint16) * 257)).save
    yield "one.png", picture.convert("1").save
    yield "moving.gif", lambda file: frames[0].save(file, save_all=True, append_images=frames[1:])
    yield "lossy.webp", lambda file: picture.save(file, quality=80)
    yield "lossless.webp", lambda file: picture.save(file, lossless=True)
    yield "moving.webp", lambda file: frames[0].save(file, save_all=True, append_images=frames[1:], quality=80)
    yield "24.bmp", picture.save
    yield "8.bmp", grey.save
    yield "4.bmp", picture.quantize(16).save
    yield "1.bmp", picture.convert("1").save


def flat(file):
    """The picture on white, in RGB with 8 bits."""
    picture = Image.open(file)
    if picture.mode.startswith("I"):
        picture = Image.fromarray((numpy.asarray(picture).astype(numpy.uint32) >> 8).astype(numpy.uint8))
    if picture.mode in ("RGBA", "LA") or "transparency" in picture.info:
        ground = Image.new("RGBA", picture.size, WHITE)
        ground.alpha_composite(picture.convert("RGBA"))
        picture = ground
    return picture.convert("RGB")


def main(room):
    room.mkdir(exist_ok=True)
    rows = []
    for number, size in enumerate([(160, 120), (75, 130), (50, 40)]):
        picture = drawn(*size, 7 + number)
        # All forms of one; the others show other sizes.
        for name, write in list(forms(picture))[:: 1 if number == 0 else 5]:
            file = room / f"{number}-{name}"
            write(file)
            shown = flat(file)
            bits, quality = pdqhash.compute(numpy.asarray(shown))
            rows.append(f"{file.name}\t{int(''.join(map(str, bits)), 2):064x}\t{quality}\t{imagehash.phash(shown)}\n")
    Image.new("RGB", (64, 48), (90, 120, 30)).save(room / "plain.png")
    (room / "pictures.tsv").write_text("".join(rows))


main(Path(sys.argv[1]))
