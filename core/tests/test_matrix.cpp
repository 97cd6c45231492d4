// Views of rows: packing, CSR reading, norms and the centre.
#include <cmath>
#include <vector>

#include "fixtures.hpp"

using namespace rarebit;
using namespace rarebit_tests;

namespace {

template <class T>
void check_panel(const Table& table, const RowBlock& rows, int width,
                 const std::vector<double>& centre) {
    std::vector<T> panel(width * table.columns() + 1, T(-5));
    pack_panel(rows, width, centre, panel.data());
    for (int k = 0; k < table.columns(); ++k)
        for (int lane = 0; lane < width; ++lane) {
            const double less = centre.empty() ? 0.0 : centre[k];
            const T want = lane < rows.count
                               ? static_cast<T>(table.at(static_cast<int>(rows[lane]), k) - less)
                               : T(0);
            CHECK(panel[k * width + lane] == want);
        }
    CHECK(panel.back() == T(-5));
}

}  // namespace

TEST_CASE("row blocks name rows by number or in sequence") {
    Table table(Storage::dense32, 9, 2, normal_values(9, 2, 1));
    const std::int32_t ids[] = {4, 4, 0, 8};
    const RowBlock named{&table.matrix, ids, 0, 4};
    CHECK((named[0] == 4 && named[1] == 4 && named[2] == 0 && named[3] == 8));
    const RowBlock part = named.part(2, 2);
    CHECK((part.count == 2 && part[0] == 0 && part[1] == 8));
    const RowBlock sequence{&table.matrix, nullptr, 3, 5};
    CHECK((sequence[0] == 3 && sequence[4] == 7));
    const RowBlock later = sequence.part(2, 3);
    CHECK((later.count == 3 && later[0] == 5 && later[2] == 7));
}

TEST_CASE("pack panel interleaves rows and pads with 0") {
    for (Storage storage : {Storage::dense32, Storage::dense64}) {
        Table table(storage, 20, 7, normal_values(20, 7, 2));
        const std::vector<double> centre = {0.5, -1.0, 0.0, 2.0, 0.25, 1e3, -0.125};
        const std::int32_t ids[] = {19, 0, 7, 7, 3, 12};
        for (int count : {0, 1, 5, 6})
            for (const std::vector<double>& c : {std::vector<double>(), centre}) {
                check_panel<float>(table, {&table.matrix, ids, 0, count}, 6, c);
                check_panel<double>(table, {&table.matrix, ids, 0, count}, 6, c);
                check_panel<float>(table, {&table.matrix, nullptr, 11, count}, 8, c);
            }
    }
}

TEST_CASE("centred entries are rounded once") {
    // In float32 alone 1e8 + 3 would already have lost its 3.
    Table table(Storage::dense64, 1, 1, {1e8 + 3.0});
    float entry = 0.0f;
    pack_panel(RowBlock{&table.matrix, nullptr, 0, 1}, 1, {1e8}, &entry);
    CHECK(entry == 3.0f);
}

TEST_CASE("sparse rows are read with both index widths") {
    for (bool wide : {false, true})
        for (Storage storage : {Storage::csr32, Storage::csr64}) {
            std::vector<double> values = normal_values(12, 9, 3, 0.6);
            for (int k = 0; k < 9; ++k) values[4 * 9 + k] = 0.0;  // an empty row
            Table table(storage, 12, 9, values, wide);
            SparseRow<float> narrow_row;
            SparseRow<double> row;
            for (int i : {0, 11, 4, 3, 5}) {  // longer and shorter rows after one another
                row.read(table.matrix, i);
                narrow_row.read(table.matrix, i);
                int stored = 0;
                for (int k = 0; k < 9; ++k) stored += table.at(i, k) != 0.0;
                CHECK(row.size() == stored);
                CHECK(narrow_row.size() == stored);
                std::int64_t from = -1, to = -1;
                table.matrix.extent(i, &from, &to);
                CHECK(to - from == stored);
                CHECK(narrow_row.columns == row.columns);
                for (int k = 0; k < row.size(); ++k) {
                    CHECK(row.values[k] == table.at(i, row.columns[k]));
                    CHECK(narrow_row.values[k] == static_cast<float>(row.values[k]));
                }
            }
        }
}

TEST_CASE("squared norm equals plain loops") {
    for (Storage storage : kStorages)
        for (int columns : {1, 7, 8, 9, 16, 29}) {
            Table table(storage, 6, columns, normal_values(6, columns, 4, 0.3), columns % 2 == 0);
            std::vector<double> centre;
            for (int round = 0; round < 2; ++round) {
                for (int i = 0; i < 6; ++i) {
                    double want = 0.0;
                    for (int k = 0; k < columns; ++k) {
                        const double v = table.at(i, k) - (centre.empty() ? 0.0 : centre[k]);
                        want += v * v;
                    }
                    CHECK_NEAR(squared_norm(table.matrix, i, centre), want, 1e-13 * (1.0 + want));
                }
                if (table.matrix.sparse()) break;  // CSR rows have no centre
                centre = normal_values(1, columns, 5);
            }
        }
}

TEST_CASE("rough centre is near the middle of every column") {
    const int rows = 3000, columns = 5;
    std::vector<double> values = normal_values(rows, columns, 6);
    const double middle[] = {0.0, 1e6, -3e-5, 1e9, 42.0}, spread[] = {1.0, 0.5, 1e-6, 1e3, 0.0};
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < columns; ++k)
            values[i * columns + k] = middle[k] + spread[k] * values[i * columns + k];
    Table table(Storage::dense64, rows, columns, values);
    const std::vector<double> centre = rough_centre(table.matrix);
    CHECK(centre.size() == 5);
    for (int k = 0; k < columns; ++k)
        CHECK_NEAR(centre[k], middle[k], 0.25 * spread[k] + 1e-12 * std::abs(middle[k]));
}

TEST_CASE("rough centre keeps integers exact in float32") {
    const int rows = 900;  // their mean has no short binary form
    std::vector<double> values = normal_values(rows, 1, 7);
    for (double& v : values) v = std::round(1e7 + 100.0 * v);
    Table table(Storage::dense64, rows, 1, values);
    const std::vector<double> centre = rough_centre(table.matrix);
    int inexact = 0;
    for (int i = 0; i < rows; ++i) {
        const double entry = table.at(i, 0) - centre[0];
        inexact += static_cast<double>(static_cast<float>(entry)) != entry;
    }
    CHECK(inexact == 0);
}

TEST_CASE("rough centre of few equal or no rows") {
    Table none(Storage::dense32, 0, 3, {});
    CHECK(rough_centre(none.matrix) == std::vector<double>(3, 0.0));
    Table one(Storage::dense32, 1, 2, {3.5, -1.25});
    CHECK(rough_centre(one.matrix) == std::vector<double>({3.5, -1.25}));
    std::vector<double> values(1500, 0.1);
    Table equal(Storage::dense64, 1500, 1, values);
    CHECK_NEAR(rough_centre(equal.matrix)[0], 0.1, 1e-14);
}
