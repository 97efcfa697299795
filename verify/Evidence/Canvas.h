// A picture of coloured rectangles and small letters, and its file.
#pragma once

#include "isa/Support/Error.h"

#include <string_view>
#include <vector>

namespace tilerig::verify {

struct Picture {
  size_t width = 0, height = 0;
  std::vector<uint8_t> rgb; // rows from the top
};

struct Colour {
  uint8_t red, green, blue;
};

class Canvas {
public:
  Canvas(size_t width, size_t height); // white

  void fill(size_t x, size_t y, size_t width, size_t height, Colour colour);
  // Text in the letters of Letters.h; x and y are its left upper corner.
  void text(size_t x, size_t y, std::string_view words, Colour colour);
  // The same turned by a quarter, to be read upwards.
  void uprightText(size_t x, size_t y, std::string_view words, Colour colour);

  Picture picture;
};

Result<std::vector<std::byte>> encodePng(const Picture &picture);

} // namespace tilerig::verify
