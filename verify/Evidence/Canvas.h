// Draws coloured rectangles and small text into a picture, and encodes it as PNG.
#pragma once

#include "isa/Base/Support/Error.h"

#include <string_view>
#include <vector>

namespace tilerig::verify {

struct Picture {
  size_t width = 0, height = 0;
  std::vector<uint8_t> rgb; // colours of the picture's pixels, row by row from the top
};

struct Colour {
  uint8_t red, green, blue;
};

class Canvas {
public:
  Canvas(size_t width, size_t height); // all white

  void fill(size_t x, size_t y, size_t width, size_t height, Colour colour);
  // Draws text in the font of Letters.h with its upper left corner at (x, y).
  void text(size_t x, size_t y, std::string_view words, Colour colour);
  // Draws text rotated by 90 degrees, to be read upwards.
  void uprightText(size_t x, size_t y, std::string_view words, Colour colour);

  Picture picture;
};

Result<std::vector<std::byte>> encodePng(const Picture &picture);

} // namespace tilerig::verify
