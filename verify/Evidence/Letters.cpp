#include "verify/Evidence/Letters.h"

#include <array>

namespace tilerig::verify {

namespace {

// Letters side by side, as they look.
struct LetterSheet {
  std::string_view letters;
  std::array<std::string_view, letterHeight> rows;
};

// clang-format off
constexpr std::array sheets = {
    LetterSheet{"0123456789.,%+-",
          {" ###    #    ###  #####    #  #####   ##  #####  ###   ###              ##                ",
           "#   #  ##   #   #    #    ##  #      #        # #   # #   #             ##  #   #         ",
           "#  ##   #       #   #    # #  ####  #        #  #   # #   #                #    #         ",
           "# # #   #      #     #  #  #      # ####    #    ###   ####               #   ##### ##### ",
           "##  #   #     #       # #####     # #   #  #    #   #     #              #      #         ",
           "#   #   #    #    #   #    #  #   # #   #  #    #   #    #   ##    ##   #  ##   #         ",
           " ###   ###  #####  ###     #   ###   ###   #     ###   ##    ##    ##      ##             ",
           "                                                                    #                     ",
           "                                                                   #                      "}},
    LetterSheet{"abcdefghijklm",
          {"      #               #         ##        #       #      #  #      ##         ",
           "      #               #        #  #       #                 #       #         ",
           " ###  # ##   ###   ## #  ###   #     #### # ##   ##     ##  #  #    #   ## #  ",
           "    # ##  # #     #  ## #   # ###   #   # ##  #   #      #  # #     #   # # # ",
           " #### #   # #     #   # #####  #    #   # #   #   #      #  ##      #   # # # ",
           "#   # #   # #   # #   # #      #    #   # #   #   #      #  # #     #   #   # ",
           " #### ####   ###   ####  ###   #     #### #   #  ###     #  #  #   ###  #   # ",
           "                                        #             #  #                    ",
           "                                     ###               ##                     "}},
    LetterSheet{"nopqrstuvwxyz",
          {"                                     #                                        ",
           "                                     #                                        ",
           "# ##   ###  ####   ## # # ##   #### ###   #   # #   # #   # #   # #   # ##### ",
           "##  # #   # #   # #  ## ##  # #      #    #   # #   # #   #  # #  #   #    #  ",
           "#   # #   # #   # #   # #      ###   #    #   # #   # # # #   #   #   #   #   ",
           "#   # #   # #   # #   # #         #  #  # #  ##  # #  # # #  # #  #   #  #    ",
           "#   #  ###  ####   #### #     ####    ##   ## #   #    # #  #   #  #### ##### ",
           "            #         #                                               #       ",
           "            #         #                                            ###        "}},
};
// clang-format on

} // namespace

bool isInked(char letter, size_t column, size_t row) {
  for (const LetterSheet &sheet : sheets)
    if (const size_t index = sheet.letters.find(letter); index != std::string_view::npos)
      return sheet.rows[row][index * letterStep + column] == '#';
  return false;
}

} // namespace tilerig::verify
