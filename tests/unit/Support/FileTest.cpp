#include "isa/Base/Support/File.h"

#include "isa/Base/Support/Writable.h"
#include "tests/support/TemporaryFolder.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tilerig {

namespace fs = std::filesystem;

static size_t filesIn(const std::string &folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}
static mode_t permissions(const std::string &path) {
  struct stat info = {};
  ::stat(path.c_str(), &info);
  return info.st_mode & 0777;
}
static std::string contents(const std::string &path) {
  auto text = readText(path);
  return text ? *text : text.error().message();
}

TEST(OutputFile, AppearsAtCommitOnly) {
  TemporaryFolder folder;
  std::string path = folder.path("out");
  auto file = OutputFile::create(path);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("hello"));
  EXPECT_FALSE(fs::exists(path));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(contents(path), "hello");
  EXPECT_EQ(filesIn(folder.path()), 1u);
}

TEST(OutputFile, WithoutCommitLeavesTheOldFile) {
  TemporaryFolder folder;
  std::string path = folder.path("out");
  ASSERT_TRUE(writeText(path, "old"));
  {
    auto file = OutputFile::create(path);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write("new"));
  }
  EXPECT_EQ(contents(path), "old");
  EXPECT_EQ(filesIn(folder.path()), 1u);
}

TEST(OutputFile, TwoWritersDoNotMeet) {
  TemporaryFolder folder;
  std::string path = folder.path("out");
  auto first = OutputFile::create(path), second = OutputFile::create(path);
  ASSERT_TRUE(first && second);
  ASSERT_TRUE(first->write("first") && second->write("second"));
  ASSERT_TRUE(second->commit());
  EXPECT_EQ(contents(path), "second");
  ASSERT_TRUE(first->commit());
  EXPECT_EQ(contents(path), "first");
}

TEST(OutputFile, HasThePermissionsOfAnyNewFileOrOfTheOneItReplaces) {
  TemporaryFolder folder;
  mode_t mask = ::umask(027);
  ASSERT_TRUE(writeText(folder.path("new"), "x"));
  ::umask(mask);
  EXPECT_EQ(permissions(folder.path("new")), 0640u);
  ::chmod(folder.path("new").c_str(), 0604);
  ASSERT_TRUE(writeText(folder.path("new"), "y"));
  EXPECT_EQ(permissions(folder.path("new")), 0604u);
}

TEST(OutputFile, SeekSetsTheLength) {
  TemporaryFolder folder;
  auto file = OutputFile::create(folder.path("out"));
  ASSERT_TRUE(file->write("abc"));
  ASSERT_TRUE(file->seek(6));
  ASSERT_TRUE(file->write("d"));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(contents(folder.path("out")), std::string("abc\0\0\0d", 7));
}

TEST(OutputFile, FollowsSymbolicLinksAndKeepsThem) {
  TemporaryFolder folder;
  fs::create_directory(folder.path("data"));
  ASSERT_TRUE(writeText(folder.path("data/target"), "old"));
  fs::create_symlink("data/target", folder.path("link"));
  fs::create_symlink(folder.path("link"), folder.path("second"));
  ASSERT_TRUE(writeText(folder.path("second"), "new"));
  EXPECT_TRUE(fs::is_symlink(folder.path("second")));
  EXPECT_TRUE(fs::is_symlink(folder.path("link")));
  EXPECT_FALSE(fs::is_symlink(folder.path("data/target")));
  EXPECT_EQ(contents(folder.path("data/target")), "new");
}

TEST(OutputFile, CreatesTheTargetOfADanglingLink) {
  TemporaryFolder folder;
  fs::create_symlink("later", folder.path("link"));
  ASSERT_TRUE(writeText(folder.path("link"), "now"));
  EXPECT_TRUE(fs::is_symlink(folder.path("link")));
  EXPECT_EQ(contents(folder.path("later")), "now");
}

TEST(OutputFile, RefusesACircleOfLinks) {
  TemporaryFolder folder;
  fs::create_symlink("b", folder.path("a"));
  fs::create_symlink("a", folder.path("b"));
  auto file = OutputFile::create(folder.path("a"));
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message().find("symbolic links"), std::string::npos) << file.error().message();
}

TEST(OutputFile, WritesStraightToADevice) {
  struct stat before = {}, after = {};
  ::stat("/dev/null", &before);
  ASSERT_TRUE(writeText("/dev/null", "x"));
  ::stat("/dev/null", &after);
  EXPECT_TRUE(S_ISCHR(after.st_mode));
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST(OutputFile, WritesStraightToAPipeAndPadsWithZeros) {
  TemporaryFolder folder;
  std::string path = folder.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] {
    int fd = ::open(path.c_str(), O_RDONLY);
    char buffer[64];
    for (ssize_t got; (got = ::read(fd, buffer, sizeof buffer)) > 0;)
      received.append(buffer, got);
    ::close(fd);
  });
  {
    auto file = OutputFile::create(path);
    ASSERT_TRUE(file);
    EXPECT_TRUE(file->write("ab"));
    EXPECT_TRUE(file->seek(4));
    EXPECT_TRUE(file->write("c"));
    EXPECT_FALSE(file->seek(1));
    EXPECT_TRUE(file->commit());
  }
  reader.join();
  EXPECT_EQ(received, std::string("ab\0\0c", 5));
  EXPECT_TRUE(fs::is_fifo(path));
}

// Output to a file that is already open, named as /dev/fd/N, is appended to its content, and the file is not
// replaced.
TEST(OutputFile, WritesToTheOpenStreamBehindItsName) {
  TemporaryFolder folder;
  std::string path = folder.path("redirected");
  int fd = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(::write(fd, "before ", 7), 7);
  ASSERT_TRUE(writeText("/dev/fd/" + std::to_string(fd), "ours"));
  ASSERT_EQ(::write(fd, " after", 6), 6);
  ::close(fd);
  EXPECT_EQ(contents(path), "before ours after");
}

// Starts a process that opens `path` for writing and then sleeps until it is killed.
static pid_t startWriter(const std::string &path) {
  int ready[2];
  EXPECT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto file = OutputFile::create(path);
    const bool isOpen = file && file->write("half a file");
    [[maybe_unused]] const ssize_t said = ::write(ready[1], isOpen ? "+" : "-", 1);
    while (true)
      ::pause();
  }
  char answer = '-';
  EXPECT_EQ(::read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, '+');
  ::close(ready[0]);
  ::close(ready[1]);
  return child;
}
static void killWriter(pid_t child) {
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(OutputFile, RemovesWhatAKilledWriterOfTheSameFileLeft) {
  TemporaryFolder folder;
  killWriter(startWriter(folder.path("out")));
  killWriter(startWriter(folder.path("out.npz")));
  EXPECT_EQ(filesIn(folder.path()), 2u);
  ASSERT_TRUE(writeText(folder.path("out"), "whole"));
  EXPECT_EQ(contents(folder.path("out")), "whole");
  EXPECT_EQ(filesIn(folder.path()), 2u) << "of out.npz nobody has been asked to write anything";
  ASSERT_TRUE(writeText(folder.path("out.npz"), "whole"));
  EXPECT_EQ(filesIn(folder.path()), 2u);
}

TEST(OutputFile, LeavesALivingWriterAlone) {
  TemporaryFolder folder;
  const pid_t writer = startWriter(folder.path("out"));
  ASSERT_TRUE(writeText(folder.path("out"), "whole"));
  EXPECT_EQ(filesIn(folder.path()), 2u);
  auto own = OutputFile::create(folder.path("out"));
  ASSERT_TRUE(own && OutputFile::create(folder.path("out")));
  EXPECT_EQ(filesIn(folder.path()), 3u);
  ASSERT_TRUE(own->write("another") && own->commit());
  killWriter(writer);
  EXPECT_EQ(contents(folder.path("out")), "another");
}

TEST(OutputFile, LeavesFilesOfOtherNamesAlone) {
  TemporaryFolder folder;
  const std::vector<std::string> others = {"out.tmp",       "out.1.tmp",    "out.1.x.tmp",  "out.1.2.tmp.txt",
                                           "other.1.2.tmp", "out.-1.2.tmp", "xout.1.2.tmp", "out.1.2"};
  for (const std::string &name : others)
    ASSERT_TRUE(writeText(folder.path(name), "x"));
  ASSERT_TRUE(writeText(folder.path("precious"), "x"));
  fs::create_symlink("precious", folder.path("out.1.2.tmp"));
  fs::create_directory(folder.path("out.3.4.tmp"));
  ASSERT_TRUE(writeText(folder.path("out"), "x"));
  EXPECT_EQ(filesIn(folder.path()), others.size() + 4);
}

TEST(Writable, CheckLeavesNoTrace) {
  TemporaryFolder folder;
  EXPECT_TRUE(checkWritable(folder.path("new")));
  EXPECT_EQ(filesIn(folder.path()), 0u);
  EXPECT_TRUE(checkWritable("/dev/null"));
  EXPECT_FALSE(checkWritable(folder.path("no/such/file")));
  EXPECT_FALSE(checkWritable(folder.path()));
}

// The check whether a file is writable does not open a pipe without a reader, because opening it would block
// forever.
TEST(Writable, DoesNotOpenAPipe) {
  TemporaryFolder folder;
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(checkWritable(folder.path("pipe")));
}

TEST(OutputFile, SaysWhatIsWrongWithThePlace) {
  TemporaryFolder folder;
  auto missing = OutputFile::create(folder.path("no/such/file"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().what, "the folder '" + folder.path("no/such") + "' does not exist");
  ASSERT_TRUE(writeText(folder.path("file"), "x"));
  auto under = OutputFile::create(folder.path("file/below"));
  ASSERT_FALSE(under);
  EXPECT_EQ(under.error().what, "'" + folder.path("file") + "' is not a folder");
  auto unnamed = OutputFile::create("");
  ASSERT_FALSE(unnamed);
  EXPECT_EQ(unnamed.error().message(), "the path of the output file is empty; give the name of a file");
  auto dash = OutputFile::create("-");
  ASSERT_FALSE(dash);
  EXPECT_EQ(dash.error().message(),
            "-: does not stand for standard output; write to /dev/stdout, or to ./- for a file of this name");
  for (const std::string &path : {folder.path(), folder.path("x/")}) {
    auto file = OutputFile::create(path);
    ASSERT_FALSE(file) << path;
    EXPECT_EQ(file.error().what, "this is a folder, not a file");
  }
}

TEST(OutputFile, ReportsAFullDevice) {
  if (!fs::exists("/dev/full"))
    GTEST_SKIP() << "no /dev/full here";
  auto file = OutputFile::create("/dev/full");
  ASSERT_TRUE(file);
  auto status = file->write("x");
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message().find("/dev/full: cannot write"), std::string::npos);
}

TEST(MappedFile, ShowsTheBytesAndOutlivesItsName) {
  TemporaryFolder folder;
  ASSERT_TRUE(writeText(folder.path("file"), "content"));
  auto file = MappedFile::open(folder.path("file"));
  ASSERT_TRUE(file);
  ASSERT_TRUE(writeText(folder.path("file"), "replaced"));
  MappedFile moved = *std::move(file);
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(moved.bytes().data()), moved.bytes().size()),
            "content");
}

TEST(MappedFile, OfAnEmptyFileIsEmpty) {
  TemporaryFolder folder;
  ASSERT_TRUE(writeText(folder.path("file"), ""));
  auto file = MappedFile::open(folder.path("file"));
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->bytes().empty());
}

TEST(MappedFile, RefusesWhatIsNoFile) {
  TemporaryFolder folder;
  EXPECT_EQ(MappedFile::open(folder.path()).error().what, "this is a folder, not a file");
  EXPECT_EQ(MappedFile::open("/dev/null").error().what, "this is not a regular file");
  EXPECT_NE(MappedFile::open(folder.path("none")).error().what.find("No such file"), std::string::npos);
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(MappedFile::open(folder.path("pipe")).error().what, "this is not a regular file");
}

// Megabytes of memory that the process uses at the moment.
static long residentMegabytes() {
  long all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * ::sysconf(_SC_PAGESIZE) / (1 << 20);
}

TEST(MappedFile, ReleasedPagesAreReadAgain) {
  const TemporaryFolder folder;
  const std::string path = folder.path("large");
  ASSERT_TRUE(writeText(path, std::string(64 << 20, 'x')));
  auto file = MappedFile::open(path);
  ASSERT_TRUE(file) << file.error().message();
  const auto count = [&] { return std::ranges::count(file->bytes(), std::byte{'x'}); };
  EXPECT_EQ(count(), 64 << 20);
  const long before = residentMegabytes();
  releasePages(file->bytes().subspan(1));
  EXPECT_LE(residentMegabytes(), before - 48);
  EXPECT_EQ(count(), 64 << 20);
}

TEST(MappedFile, OnlyPagesOfFilesAreReleased) {
  const std::vector<std::byte> memory(4 << 20, std::byte{7});
  releasePages(memory);
  EXPECT_EQ(std::ranges::count(memory, std::byte{7}), 4 << 20);
}

} // namespace tilerig
