#include "verify/Evidence/Canvas.h"

#include "verify/Evidence/Letters.h"

#include <png.h>

namespace tilerig::verify {

Canvas::Canvas(size_t width, size_t height)
    : picture{width, height, std::vector<uint8_t>(width * height * 3, 255)} {}

void Canvas::fill(size_t x, size_t y, size_t width, size_t height, Colour colour) {
  for (size_t row = y; row < y + height; ++row)
    for (size_t column = x; column < x + width; ++column) {
      uint8_t *pixel = &picture.rgb[(row * picture.width + column) * 3];
      pixel[0] = colour.red, pixel[1] = colour.green, pixel[2] = colour.blue;
    }
}

void Canvas::text(size_t x, size_t y, std::string_view words, Colour colour) {
  forEachInkedPixel(words, [&](size_t column, size_t row) { fill(x + column, y + row, 1, 1, colour); });
}

void Canvas::uprightText(size_t x, size_t y, std::string_view words, Colour colour) {
  const size_t bottom = y + widthOfText(words) - 1;
  forEachInkedPixel(words, [&](size_t column, size_t row) { fill(x + row, bottom - column, 1, 1, colour); });
}

namespace {

void appendBytes(png_structp png, png_bytep data, size_t size) {
  auto &bytes = *static_cast<std::vector<std::byte> *>(png_get_io_ptr(png));
  const auto *begin = reinterpret_cast<const std::byte *>(data);
  bytes.insert(bytes.end(), begin, begin + size);
}

} // namespace

Result<std::vector<std::byte>> encodePng(const Picture &picture) {
  std::vector<std::byte> bytes;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return internalError("picture", "libpng cannot encode the picture");
  }
  png_set_write_fn(png, &bytes, appendBytes, nullptr);
  // The PNG filter "up" predicts each pixel from the one above it. It compresses areas of one colour well,
  // and is faster than choosing a filter for each row.
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
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
