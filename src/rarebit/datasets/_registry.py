"""The table of raw sets: file, size, class counts, checksum, OpenML id.

A set has an OpenML id only where OpenML is known to hold the same rows: its satimage lacks five
rows, its waveform has forty columns, its Cleveland set joins the four grades of disease.
"""

from __future__ import annotations

from rarebit.datasets._info import OpenML, SetInfo


def _counts(text: str) -> dict[str, int]:
    pairs = (item.rsplit(":", 1) for item in text.split())
    return {name: int(count) for name, count in pairs}


_ADULT_CATEGORICAL = (1, 3, 5, 6, 7, 8, 9, 13)
_GLASS_LABELS = {
    "build wind float": "1",
    "build wind non-float": "2",
    "vehic wind float": "3",
    "vehic wind non-float": "4",
    "containers": "5",
    "tableware": "6",
    "headlamps": "7",
}
_SEGMENTS = ("brickface", "sky", "foliage", "cement", "window", "path", "grass")
_LIBSVM = "the LIBSVM data page (https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets)"

_SETS = (
    SetInfo(
        "abalone",
        "abalone.csv.gz",
        "table",
        4177,
        8,
        _counts(
            "9:689 10:634 8:568 11:487 7:391 12:267 6:259 13:203 14:126 5:115 15:103 16:67 "
            "17:58 4:57 18:42 19:32 20:26 3:15 21:14 23:9 22:6 27:2 24:2 1:1 26:1 29:1 2:1 "
            "25:1"
        ),
        "7914343ec04e4aaef6d571e2071d465dfe03c7efc7995693879a9970baa5846b",
        categorical=(0,),
        openml=OpenML(183),
    ),
    SetInfo(
        "letter",
        "letter.csv.gz",
        "table",
        20000,
        16,
        _counts(
            "U:813 D:805 P:803 T:796 M:792 A:789 X:787 Y:786 N:783 Q:783 F:775 G:773 E:768 "
            "B:766 V:764 L:761 R:758 I:755 O:753 W:752 S:748 J:747 K:739 C:736 H:734 Z:734"
        ),
        "227b4d6ea7f44a2877c37d4775db8f66d11fd057390d0a69fa93d70c096398fb",
        openml=OpenML(6),
    ),
    SetInfo(
        "satimage_train",
        "satimage_train.csv.gz",
        "table",
        4435,
        36,
        _counts("1:1072 7:1038 3:961 2:479 5:470 4:415"),
        "5a73b0adce55009820b3f1fe09753cf980da0abaf83e688ad36935b1f224ac90",
    ),
    SetInfo(
        "satimage_test",
        "satimage_test.csv.gz",
        "table",
        2000,
        36,
        _counts("7:470 1:461 3:397 5:237 2:224 4:211"),
        "ef1b7f1313af97ab1f2bfc6041b4348082c2ac55c6a3b7e1ab3a682884eb731a",
    ),
    SetInfo(
        "yeast",
        "yeast.csv.gz",
        "table",
        1484,
        8,
        _counts("CYT:463 NUC:429 MIT:244 ME3:163 ME2:51 ME1:44 EXC:35 VAC:30 POX:20 ERL:5"),
        "710244c517c322ef5bced30e1e36cdb000fe7fb9d95510f6e27441fdde954f9a",
        openml=OpenML(181),
    ),
    SetInfo(
        "ecoli",
        "ecoli.csv.gz",
        "table",
        336,
        7,
        _counts("cp:143 im:77 pp:52 imU:35 om:20 omL:5 imS:2 imL:2"),
        "c0387e87566da03bff7f03bf9de1d5eb1883d87c144a6715e16ebf35f4bbc78e",
        openml=OpenML(39),
    ),
    SetInfo(
        "haberman",
        "haberman.csv.gz",
        "table",
        306,
        3,
        _counts("1:225 2:81"),
        "38cbfc8ac0720a907ea4895a9a66ec76163631dad0e82d55d81615cf42b7cb15",
        openml=OpenML(43),
    ),
    SetInfo(
        "cmc",
        "cmc.csv.gz",
        "table",
        1473,
        9,
        _counts("1:629 3:511 2:333"),
        "4bb5c5d7d9a5fd7020bfb897989cee14855b9b069aedabf7eee57d8fe4a1acaf",
        openml=OpenML(23),
    ),
    SetInfo(
        "balance",
        "balance.csv.gz",
        "table",
        625,
        4,
        _counts("R:288 L:288 B:49"),
        "a1c0dc54e260d92a6be10992e43515e6c537af23d2d82c1f1bcc46d22ba662d5",
        openml=OpenML(11),
    ),
    SetInfo(
        "glass",
        "glass.csv.gz",
        "table",
        214,
        9,
        _counts("2:76 1:70 7:29 3:17 5:13 6:9"),
        "919f063e765a0247f759f0d8aeee73a0c912273cd1d5d9905e7efd4b6cd08bd2",
        openml=OpenML(41, labels=_GLASS_LABELS),
    ),
    SetInfo(
        "car",
        "car.csv.gz",
        "table",
        1728,
        6,
        _counts("unacc:1210 acc:384 good:69 vgood:65"),
        "50db9362b4f69ba8f835ea8d9d848f4f0afa45ea1ce3d7380b67e8ddf31afbac",
        categorical=(0, 1, 2, 3, 4, 5),
        openml=OpenML(21),
    ),
    SetInfo(
        "heart_cleveland",
        "heart_cleveland.csv.gz",
        "table",
        303,
        13,
        _counts("0:164 1:55 2:36 3:35 4:13"),
        "c71303efa0818ab57363c593b1572b45b09193cafe0c31cc269e54d5d6edad6e",
    ),
    SetInfo(
        "breast_w_original",
        "breast_w_original.csv.gz",
        "table",
        699,
        9,
        _counts("2:458 4:241"),
        "c816f31b264885ce798b976a183845e27dab931d3dd70b60314edb374b688ec7",
        openml=OpenML(15, labels={"benign": "2", "malignant": "4"}),
    ),
    SetInfo(
        "segmentation",
        "segmentation.csv.gz",
        "table",
        2310,
        19,
        _counts("BRICKFACE:330 SKY:330 FOLIAGE:330 CEMENT:330 WINDOW:330 PATH:330 GRASS:330"),
        "4b0849bd38a39cecf153c92b3f3dc1cd27931f1816785e21054fee278179876a",
        openml=OpenML(36, labels={name: name.upper() for name in _SEGMENTS}),
    ),
    SetInfo(
        "shuttle_train",
        "shuttle_train.csv.gz",
        "table",
        43500,
        9,
        _counts("1:34108 4:6748 5:2458 3:132 2:37 7:11 6:6"),
        "faa38b8e85f1f8d2e4db07b1f78bf7b5df1826e6b6e5982bb5937d04e99c3bcd",
        openml=OpenML(40685, rows=(0, 43500)),
    ),
    SetInfo(
        "shuttle_test",
        "shuttle_test.csv.gz",
        "table",
        14500,
        9,
        _counts("1:11478 4:2155 5:809 3:39 2:13 6:4 7:2"),
        "53cc2037dd24e5e0115a431e36997ffe6576f60a36338a6480f6b7a1a7f51c14",
        openml=OpenML(40685, rows=(43500, 58000)),
    ),
    SetInfo(
        "adult_train",
        "adult_train.csv.gz",
        "table",
        32561,
        14,
        _counts("<=50K:24720 >50K:7841"),
        "14236c948670c0ab8e7b685c036517ebe4fe55a8ca679e69aeb4cc7cf1464196",
        categorical=_ADULT_CATEGORICAL,
        openml=OpenML(1590, rows=(16281, 48842)),
    ),
    SetInfo(
        "adult_test",
        "adult_test.csv.gz",
        "table",
        16281,
        14,
        _counts("<=50K:12435 >50K:3846"),
        "bde1ce4bc42bceb0b6dd29c81ac36331cc6b43f2d103e33b6f1be081f16e26c0",
        categorical=_ADULT_CATEGORICAL,
        openml=OpenML(1590, rows=(0, 16281)),
    ),
    SetInfo(
        "a9a_train",
        "a9a_train.csv.gz",
        "table",
        32561,
        123,
        _counts("-1:24720 1:7841"),
        "8f2bb74666f6fed8daaccb2755f65d2ff30a8193c5b01baeb121a097cc076161",
        origin=_LIBSVM,
    ),
    SetInfo(
        "a9a_test",
        "a9a_test.csv.gz",
        "table",
        16281,
        123,
        _counts("-1:12435 1:3846"),
        "594e03349b665d819908afe536a79c7809ac8d59c04bedc03a15c8b22afcee74",
        origin=_LIBSVM,
    ),
    SetInfo(
        "waveform21",
        "waveform21.csv.gz",
        "table",
        5000,
        21,
        _counts("2:1696 0:1657 1:1647"),
        "96813adf47012d2921d1a4a598ed15037ca655607d377ba40d55dec6148937f8",
    ),
    SetInfo(
        "mnist",
        "mnist.npz",
        "images",
        70000,
        784,
        _counts("0:6903 1:7877 2:6990 3:7141 4:6824 5:6313 6:6876 7:7293 8:6825 9:6958"),
        "592d004fe89799971c7c13c9c91480c87ad6fb3d8d862c0876d0399a85a8f45e",
        n_train=60000,
        openml=OpenML(554),
    ),
    SetInfo(
        "usps",
        "usps.npz",
        "images",
        9298,
        256,
        _counts("0:1553 1:1269 2:929 3:824 4:852 5:716 6:834 7:792 8:708 9:821"),
        "01907b073fe022f50fc1d33f831f6e65aa7c52039d8db76dd35dcdc783523117",
        n_train=7291,
        openml=OpenML(41082, labels={str(k + 1): str(k) for k in range(10)}),
    ),
    SetInfo(
        "reuters",
        "reuters.csv.gz",
        "text",
        10789,
        0,
        _counts(
            "acq:2369 corn:237 crude:578 earn:3964 grain:582 interest:478 money-fx:717 "
            "ship:286 trade:486 wheat:283"
        ),
        "3723094551f45435d0f58af603a8f8ff3a5f3724aa9a78466ddf44e28cc3f281",
    ),
    SetInfo(
        "kddcup99_10pct",
        "kddcup99_10pct.csv.gz",
        "table",
        494021,
        41,
        _counts(
            "smurf:280790 neptune:107201 normal:97278 back:2203 satan:1589 ipsweep:1247 "
            "portsweep:1040 warezclient:1020 teardrop:979 pod:264 nmap:231 guess_passwd:53 "
            "buffer_overflow:30 land:21 warezmaster:20 imap:12 rootkit:10 loadmodule:9 "
            "ftp_write:8 multihop:7 phf:4 perl:3 spy:2"
        ),
        "b5cb9ea32fbac6a75131c02353e7d22be60d2c30b7d80c4b2c742090004a85a0",
        categorical=(1, 2, 3),
        origin="scikit-learn's fetch_kddcup99",
    ),
    SetInfo(
        "sms_spam",
        "sms_spam.csv.gz",
        "text",
        5574,
        0,
        _counts("ham:4827 spam:747"),
        "e635662529e32d67c88797588ddaa4d9c13859a3c3a28bc9f19fc4635fe2ef38",
    ),
)

SETS: dict[str, SetInfo] = {info.name: info for info in _SETS}


def set_info(name: str) -> SetInfo:
    """Return what is known about a raw set.

    Parameters
    ----------
    name : str
        One of `list_sets`.

    Returns
    -------
    SetInfo
        Size, classes, file, checksum and origin.

    Examples
    --------
    >>> from rarebit.datasets import set_info
    >>> set_info("yeast").n_rows
    1484
    """
    try:
        return SETS[name]
    except KeyError:
        raise ValueError(
            f"There is no data set {name!r}: choose one of {', '.join(sorted(SETS))}."
        ) from None


def list_sets() -> list[str]:
    """Names of the raw sets that `load_raw` knows.

    Returns
    -------
    list of str
        In alphabetical order.

    Examples
    --------
    >>> from rarebit.datasets import list_sets
    >>> "letter" in list_sets()
    True
    """
    return sorted(SETS)
