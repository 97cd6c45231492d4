// CSR matrices that may be read, and those that may not.
#include <stdexcept>
#include <string>
#include <vector>

#include "fixtures.hpp"
#include "kernel/row_checks.hpp"

using namespace rarebit;

namespace {

template <class I>
std::string refused(std::vector<I> starts, std::vector<I> columns, bool* rising = nullptr,
                    std::int64_t width = 4) {
    const std::vector<float> values(columns.size(), 1.0f);
    Matrix matrix;
    matrix.storage = Storage::csr32;
    matrix.rows = static_cast<std::int64_t>(starts.size()) - 1;
    matrix.columns = width;
    matrix.values = values.data();
    matrix.indices = columns.data();
    matrix.offsets = starts.data();
    matrix.wide_indices = sizeof(I) == 8;
    try {
        const bool ordered = check_csr(matrix, static_cast<std::int64_t>(columns.size()));
        if (rising) *rising = ordered;
        return "";
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

template <class I>
void check_all() {
    bool rising = false;
    CHECK(refused<I>({0, 2, 2, 4}, {0, 3, 1, 2}, &rising).empty());
    CHECK(rising);
    CHECK(refused<I>({0, 2, 4}, {3, 0, 1, 2}, &rising).empty());
    CHECK(!rising);
    CHECK(refused<I>({0, 2, 4}, {1, 1, 1, 2}, &rising).empty());
    CHECK(!rising);
    CHECK(refused<I>({0}, {}, &rising, 0).empty());
    CHECK(rising);
    CHECK(refused<I>({0, 1}, {0, 99}).empty());  // entries behind the last row are never read
    CHECK(has(refused<I>({0, 1, 2}, {0, 4}), "got 4 in row 1"));
    CHECK(has(refused<I>({0, 1, 2}, {-1, 0}), "got -1 in row 0"));
    CHECK(has(refused<I>({1, 2}, {0, 1}), "begin with 0, got 1"));
    CHECK(has(refused<I>({0, 2, 1}, {0, 1}), "got 1 after 2 at row 1"));
    CHECK(has(refused<I>({0, 3}, {0, 1}), "end within its 2 entries, got 3"));
    CHECK(has(refused<I>({0, -5, 2}, {0, 1}), "must not fall"));
}

}  // namespace

TEST_CASE("csr rows are checked with narrow numbers") { check_all<std::int32_t>(); }

TEST_CASE("csr rows are checked with wide numbers") {
    check_all<std::int64_t>();
    CHECK(has(refused<std::int64_t>({0, 1}, {std::int64_t(1) << 40}), "got 1099511627776"));
}
