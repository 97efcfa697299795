#include "verify/Evidence/Picture.h"

#include <algorithm>
#include <bit>
#include <png.h>

namespace tilerig::verify {

namespace {

constexpr size_t cellWidth = 4, cellHeight = 2;

class Canvas {
public:
  Canvas() {
    picture.width = gridColumns * cellWidth;
    picture.height = gridRows * cellHeight;
    picture.rgb.assign(picture.width * picture.height * 3, 255);
  }

  void fill(size_t x, size_t y, size_t width, size_t height, Colour colour) {
    for (size_t row = y; row < y + height; ++row)
      for (size_t column = x; column < x + width; ++column) {
        uint8_t *pixel = &picture.rgb[(row * picture.width + column) * 3];
        pixel[0] = colour.red, pixel[1] = colour.green, pixel[2] = colour.blue;
      }
  }
  // The top of a row of the grid, of which the largest errors come first.
  static size_t topOf(size_t row) { return (gridRows - 1 - row) * cellHeight; }

  Picture picture;
};

// From 1 for a single element to 16 for the most there are, by the bits of the count.
unsigned darkness(uint64_t count, uint64_t most) {
  const auto bits = static_cast<unsigned>(std::bit_width(count)),
             all = static_cast<unsigned>(std::bit_width(most));
  return 5 + 11 * bits / std::max(all, 1u);
}

Colour onWhite(Colour colour, unsigned darkness) {
  auto mixed = [&](uint8_t part) { return static_cast<uint8_t>(255 - (255 - part) * darkness / 16); };
  return {mixed(colour.red), mixed(colour.green), mixed(colour.blue)};
}

Colour colourOf(const Plane &plane, size_t row, size_t column) {
  if (plane.inSubset(Subset::failed, row, column))
    return failedColour;
  return plane.inSubset(Subset::passed, row, column) ? passedColour : discardedColour;
}

uint64_t fullestCell(const Plane &plane) {
  uint64_t most = 0;
  for (size_t row = 0; row < gridRows; ++row)
    for (size_t column = 0; column < gridColumns; ++column)
      most = std::max(most, plane.total(row, column));
  return most;
}

// The first bin above a limit.
template <class Edges>
size_t binAbove(const Edges &edges, double limit) {
  return static_cast<size_t>(std::ranges::lower_bound(edges, limit) - edges.begin()) + 1;
}

void drawLimits(const Limits &limits, Canvas &canvas) {
  constexpr Colour black = {0, 0, 0};
  const size_t column = std::min<size_t>(binAbove(oomEdges, limits.oom), bothZeroColumn);
  canvas.fill(column * cellWidth, 0, 1, canvas.picture.height, black);
  const size_t bin = std::min<size_t>(binAbove(relativeEdges, limits.relativePercent), relativeBins - 1);
  for (bool negative : {false, true}) {
    const size_t top = Canvas::topOf(static_cast<size_t>(rowOfBin(static_cast<int32_t>(bin), negative)));
    canvas.fill(0, negative ? top : top + cellHeight - 1, canvas.picture.width, 1, black);
  }
}

void appendBytes(png_structp png, png_bytep data, size_t size) {
  auto &bytes = *static_cast<std::vector<std::byte> *>(png_get_io_ptr(png));
  const auto *begin = reinterpret_cast<const std::byte *>(data);
  bytes.insert(bytes.end(), begin, begin + size);
}

} // namespace

Picture drawPicture(const Comparison &comparison) {
  Canvas canvas;
  const Plane &plane = comparison.plane;
  const uint64_t most = fullestCell(plane);
  for (size_t row = 0; row < gridRows; ++row)
    for (size_t column = 0; column < gridColumns; ++column)
      if (const uint64_t count = plane.total(row, column))
        canvas.fill(column * cellWidth, Canvas::topOf(row), cellWidth, cellHeight,
                    onWhite(colourOf(plane, row, column), darkness(count, most)));
  drawLimits(comparison.limits, canvas);
  return std::move(canvas.picture);
}

Result<std::vector<std::byte>> encodePng(const Picture &picture) {
  std::vector<std::byte> bytes;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return internalError("picture", "libpng refuses it");
  }
  png_set_write_fn(png, &bytes, appendBytes, nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(picture.width), static_cast<png_uint_32>(picture.height),
               8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (size_t row = 0; row < picture.height; ++row)
    png_write_row(png, &picture.rgb[row * picture.width * 3]);
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

} // namespace tilerig::verify
