#include "verify/Evidence/Letters.h"

#include <array>

namespace tilerig::verify {

namespace {

// Rows of several letters of the font side by side, drawn with characters.
struct Sheet {
  std::string_view letters;
  std::array<std::string_view, letterHeight> rows;
};

// clang-format off
constexpr std::array sheets = {
    Sheet{"0123456789.,%+-",
          {" ###    #    ###  #####    #  #####   ##  #####  ###   ###              ##                ",
           "#   #  ##   #   #    #    ##  #      #        # #   # #   #             ##  #   #         ",
           "#  ##   #       #   #    # #  ####  #        #  #   # #   #                #    #         ",
           "# # #   #      #     #  #  #      # ####    #    ###   ####               #   ##### ##### ",
           "##  #   #     #       # #####     # #   #  #    #   #     #              #      #         ",
           "#   #   #    #    #   #    #  #   # #   #  #    #   #    #   ##    ##   #  ##   #         ",
           " ###   ###  #####  ###     #   ###   ###   #     ###   ##    ##    ##      ##             ",
           "                                                                    #                     ",
           "                                                                   #                      "}},
    Sheet{"abcdefghijklm",
          {"      #               #         ##        #       #      #  #      ##         ",
           "      #               #        #  #       #                 #       #         ",
           " ###  # ##   ###   ## #  ###   #     #### # ##   ##     ##  #  #    #   ## #  ",
           "    # ##  # #     #  ## #   # ###   #   # ##  #   #      #  # #     #   # # # ",
           " #### #   # #     #   # #####  #    #   # #   #   #      #  ##      #   # # # ",
           "#   # #   # #   # #   # #      #    #   # #   #   #      #  # #     #   #   # ",
           " #### ####   ###   ####  ###   #     #### #   #  ###     #  #  #   ###  #   # ",
           "                                        #             #  #                    ",
           "                                     ###               ##                     "}},
    Sheet{"nopqrstuvwxyz",
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
  for (const Sheet &sheet : sheets)
    if (const size_t index = sheet.letters.find(letter); index != std::string_view::npos)
      return sheet.rows[row][index * letterStep + column] == '#';
  return false;
}

} // namespace tilerig::verify
