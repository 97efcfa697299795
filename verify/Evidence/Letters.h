// Bitmap font of five by seven pixels for pictures: digits, lower-case letters, and . , % + -
//
// Two rows below these seven hold descenders, as of g or y. Any other character is drawn as a space.
#pragma once

#include <cstddef>
#include <string_view>

namespace tilerig::verify {

inline constexpr size_t letterWidth = 5, letterHeight = 9, letterStep = letterWidth + 1;

bool isInked(char letter, size_t column, size_t row);

constexpr size_t widthOfText(std::string_view words) { return words.size() * letterStep; }

// Calls visit(column, row) for each black pixel of the text.
template <class Visit>
void forEachInkedPixel(std::string_view words, Visit visit) {
  for (size_t i = 0; i < words.size(); ++i)
    for (size_t row = 0; row < letterHeight; ++row)
      for (size_t column = 0; column < letterWidth; ++column)
        if (isInked(words[i], column, row))
          visit(i * letterStep + column, row);
}

} // namespace tilerig::verify
