/* The figures of hospital_values.h: names, places, occupations, diagnoses and how often they occur. Data only; a
 * change here changes every sample table, so the expected values of test_sample.c change with it. */
#include "sample/hospital_values.h"

#define CHECK_COUNT(array, n) _Static_assert(sizeof(array) / sizeof *(array) == (n), "the header counts otherwise")

const uint8_t sample_anchors[SAMPLE_N_ANCHORS] = {0, 1, 5, 15, 25, 35, 45, 55, 65, 75, 85, 95, SAMPLE_OLDEST};
const uint16_t sample_age_weight[SAMPLE_N_ANCHORS] = {240, 80, 36, 44, 84, 88, 76, 112, 152, 184, 144, 16, 1};
const uint16_t sample_women_per_mille[SAMPLE_N_ANCHORS] = {480, 470, 465, 510, 600, 590, 500, 475, 485, 520, 600, 700, 780};
const uint16_t sample_cost_percent[SAMPLE_N_ANCHORS] = {140, 95, 80, 85, 88, 90, 96, 104, 112, 118, 115, 100, 90};

const uint16_t sample_weekday_weight[SAMPLE_N_SEASONS][7] = {
    [SAMPLE_ANY_DAY] = {108, 102, 100, 100, 104, 92, 90},
    [SAMPLE_AGREED] = {130, 122, 116, 110, 84, 5, 14},
    [SAMPLE_WINTER] = {118, 106, 100, 98, 100, 88, 86},
};
const uint16_t sample_month_weight[SAMPLE_N_SEASONS][12] = {
    [SAMPLE_ANY_DAY] = {104, 103, 102, 99, 99, 98, 95, 94, 100, 103, 103, 102},
    [SAMPLE_AGREED] = {106, 104, 105, 100, 98, 100, 86, 84, 104, 106, 106, 76},
    [SAMPLE_WINTER] = {180, 190, 150, 95, 60, 45, 38, 36, 50, 80, 115, 160},
};

const char *const sample_womens_names[] = {
    "Gertrude",  "Agnes",      "Mildred", "Hélène",   "Concepción", "Irma",     "Edith",         "Margarete", "Rosa",
    "Ingrid",    "Françoise",  "Dorothy", "Helga",    "Carmen",     "Joan",     "Renée",         "Barbara",   "Giovanna",
    "Karin",     "Anne-Marie", "Susan",   "Mónica",   "Fatma",      "Linda",    "Marie-Thérèse", "Birgit",    "Deborah",
    "Teresa",    "Angela",     "Sabine",  "Patricia", "Małgorzata", "Ayşe",     "Karen",         "Cristina",  "Michelle",
    "Petra",     "Nathalie",   "Zeynep",  "Sandra",   "Lucía",      "Jennifer", "Katarzyna",     "Nicole",    "Priya",
    "Stéphanie", "Mei-Ling",   "Amanda",  "Yasmin",   "Jessica",    "Chloë",    "Julia",         "Olga",      "Sarah",
    "Thảo",      "Laura",      "Zoë",     "Leïla",    "Hannah",     "Aisha",    "Camille",       "Emily",     "Noor",
    "Anna-Lena", "Sofía",      "Maya",    "Léa",      "Mia",        "Emma",     "Ana-Sofía",     "Lina",      "Ella",
};
CHECK_COUNT(sample_womens_names, SAMPLE_N_WOMENS_NAMES);

const char *const sample_mens_names[] = {
    "Wilhelm",    "Walter",      "Herbert", "Clarence",    "Günther",  "Émile",    "Salvatore", "Harold",   "Jesús",
    "Heinrich",   "Jean-Pierre", "Ernst",   "Francisco",   "Howard",   "Jürgen",   "Kazimierz", "Donald",   "René",
    "Giuseppe",   "Horst",       "Mehmet",  "Richard",     "José",     "Wolfgang", "Michel",    "Dennis",   "Jean-Luc",
    "Bernd",      "Carlos",      "Ahmed",   "Thomas",      "Zbigniew", "Mark",     "Björn",     "Miguel",   "Frank",
    "Hans-Peter", "Steven",      "Dmitri",  "Andrés",      "Tomasz",   "Markus",   "Rajesh",    "François", "Jeffrey",
    "Wei",        "Sebastian",   "Omar",    "Jérôme",      "Brian",    "Stefan",   "Diego",     "Minh",     "Christopher",
    "Łukasz",     "Daniel",      "Yusuf",   "Rubén",       "Kevin",    "Arjun",    "Jonas",     "Tyler",    "Théo",
    "Ibrahim",    "Lukas",       "Nicolás", "Jan-Philipp", "Noah",     "Elias",    "Liam",      "Mateo",    "Finn",
};
CHECK_COUNT(sample_mens_names, SAMPLE_N_MENS_NAMES);

const char *const sample_last_names[] = {
    "Smith",    "Müller",     "Johnson",   "García",    "Brown",    "Schmidt",  "Williams", "Martin",    "Jones",
    "Fischer",  "Nguyen",     "Rodríguez", "Miller",    "Weber",    "Davis",    "López",    "Kowalski",  "Meyer",
    "Wilson",   "Dubois",     "Hernández", "Schneider", "Taylor",   "Yılmaz",   "Becker",   "Moore",     "Rossi",
    "Hoffmann", "Clark",      "Bernard",   "Nowak",     "Wagner",   "Lewis",    "Gómez",    "Schäfer",   "Walker",
    "Patel",    "Koch",       "Lefèvre",   "Hall",      "Bauer",    "Kim",      "Díaz",     "Young",     "Richter",
    "Kaya",     "Allen",      "Klein",     "Moreau",    "King",     "O'Brien",  "Wolf",     "Wright",    "Sánchez",
    "Schröder", "Singh",      "Scott",     "Neumann",   "Chen",     "Green",    "Schwarz",  "Ferrari",   "Adams",
    "Wójcik",   "Zimmermann", "Baker",     "Laurent",   "Krüger",   "Ali",      "Nelson",   "Braun",     "Muñoz",
    "Carter",   "Hofmann",    "Petrov",    "Mitchell",  "Lange",    "Demir",    "Roberts",  "Krause",    "Girard",
    "Turner",   "Lehmann",    "Álvarez",   "Phillips",  "Köhler",   "Esposito", "Campbell", "Herrmann",  "Wang",
    "O'Connor", "König",      "Ramos",     "Hassan",    "Svensson", "Parker",   "Walter",   "Lindström", "Tran",
    "D'Angelo", "Huber",      "Jørgensen", "Núñez",     "Collins",  "Kaiser",   "Popescu",  "Fuchs",     "Horváth",
    "McDonald", "Åkesson",    "Haddad",    "Novák",     "Silva",    "Ivanova",  "O'Neill",  "Beauchêne", "Kovač",
    "N'Diaye",  "Öztürk",     "Sørensen",
};
CHECK_COUNT(sample_last_names, SAMPLE_N_LAST_NAMES);

/* One city, its suburbs, the country around them, and a few travellers from far away. */
#define CITY SAMPLE_CITY
#define SUBURB SAMPLE_SUBURB
#define COUNTRY SAMPLE_COUNTRY

const sample_zip sample_zips[] = {
    {"47201", CITY, 940},   {"47202", CITY, 610},    {"47203", CITY, 1280},  {"47204", CITY, 455},
    {"47205", CITY, 890},   {"47206", CITY, 380},    {"47208", CITY, 720},   {"47209", CITY, 95},
    {"47210", CITY, 540},   {"47211", CITY, 1105},   {"47212", CITY, 265},   {"47215", CITY, 330},
    {"47216", CITY, 48},    {"47221", CITY, 410},    {"47222", CITY, 660},   {"47225", CITY, 180},
    {"47229", CITY, 32},    {"47240", CITY, 290},    {"47301", SUBURB, 520}, {"47302", SUBURB, 345},
    {"47303", SUBURB, 610}, {"47304", SUBURB, 270},  {"47306", SUBURB, 155}, {"47310", SUBURB, 430},
    {"47311", SUBURB, 88},  {"47312", SUBURB, 240},  {"47320", SUBURB, 365}, {"47321", SUBURB, 130},
    {"47324", SUBURB, 61},  {"47330", SUBURB, 205},  {"47335", SUBURB, 44},  {"47401", SUBURB, 480},
    {"47402", SUBURB, 220}, {"47403", SUBURB, 310},  {"47404", SUBURB, 140}, {"47408", SUBURB, 72},
    {"47410", SUBURB, 175}, {"47415", SUBURB, 38},   {"47420", SUBURB, 96},  {"47501", COUNTRY, 210},
    {"47502", COUNTRY, 84}, {"47505", COUNTRY, 132}, {"47508", COUNTRY, 27}, {"47511", COUNTRY, 64},
    {"47516", COUNTRY, 18}, {"47520", COUNTRY, 105}, {"47523", COUNTRY, 41}, {"47528", COUNTRY, 12},
    {"47540", COUNTRY, 56}, {"47801", COUNTRY, 150}, {"47802", COUNTRY, 47}, {"47805", COUNTRY, 22},
    {"47810", COUNTRY, 78}, {"47813", COUNTRY, 9},   {"47820", COUNTRY, 33}, {"47826", COUNTRY, 15},
    {"47833", COUNTRY, 7},  {"47841", COUNTRY, 25},  {"47850", COUNTRY, 11}, {"47862", COUNTRY, 5},
    {"02139", CITY, 1},     {"10027", CITY, 2},      {"33109", CITY, 1},     {"60614", CITY, 2},
    {"73301", SUBURB, 1},   {"80498", COUNTRY, 1},   {"94110", CITY, 2},     {"99723", COUNTRY, 1},
};
CHECK_COUNT(sample_zips, SAMPLE_N_ZIPS);

/* The anchors:                   0     1     5    15   25   35   45   55   65   75   85   95  104 */
const sample_marital sample_maritals[] = {
    {"never married", "no partner;*", {1000, 1000, 1000, 1000, 720, 360, 240, 170, 110, 70, 60, 60, 60}},
    {"civil union", "partner;*", {0, 0, 0, 0, 60, 80, 60, 40, 30, 20, 10, 5, 5}},
    {"married", "partner;*", {0, 0, 0, 0, 210, 490, 550, 570, 590, 540, 350, 160, 80}},
    {"separated", "formerly married;no partner;*", {0, 0, 0, 0, 5, 20, 30, 30, 20, 10, 5, 2, 2}},
    {"divorced", "formerly married;no partner;*", {0, 0, 0, 0, 5, 48, 115, 175, 170, 120, 65, 33, 23}},
    {"widowed", "formerly married;no partner;*", {0, 0, 0, 0, 0, 2, 5, 15, 80, 240, 510, 740, 830}},
};
CHECK_COUNT(sample_maritals, SAMPLE_N_MARITAL);

#define NOT_WORKING "not working;*"
#define EDUCATION "in education;" NOT_WORKING
#define WORKING "working;*"
#define PROFESSIONS "professions;" WORKING
#define HEALTH "health;" PROFESSIONS
#define TECHNOLOGY "technology;" PROFESSIONS
#define OFFICE "administration;" PROFESSIONS
#define SERVICES "services;" WORKING
#define MANUAL "manual work;" WORKING
#define CRAFTS "crafts;" MANUAL
#define TRANSPORT "transport;" MANUAL

const sample_occupation sample_occupations[] = {
    [SAMPLE_NO_OCCUPATION] = {"none", NOT_WORKING, 0, 0, {0, 0, 0}, 0},
    [SAMPLE_PUPIL] = {"pupil", EDUCATION, 0, 0, {0, 0, 0}, 0},
    [SAMPLE_STUDENT] = {"student", EDUCATION, 0, 0, {0, 0, 0}, 0},
    [SAMPLE_RETIRED] = {"retired", NOT_WORKING, 0, 0, {0, 0, 0}, 0},
    [SAMPLE_HOMEMAKER] = {"homemaker", NOT_WORKING, 75, 5, {6, 9, 12}, 18},
    {"unemployed", NOT_WORKING, 50, 60, {12, 7, 8}, 18},
    {"nurse", HEALTH, 80, 15, {10, 11, 9}, 20},
    {"physician", HEALTH, 14, 16, {14, 11, 4}, 26},
    {"teacher", PROFESSIONS, 50, 22, {9, 12, 8}, 23},
    {"engineer", TECHNOLOGY, 9, 45, {11, 12, 5}, 23},
    {"software developer", TECHNOLOGY, 12, 42, {16, 9, 3}, 21},
    {"office clerk", OFFICE, 100, 40, {11, 11, 7}, 18},
    {"manager", OFFICE, 24, 44, {11, 13, 5}, 25},
    {"shop assistant", SERVICES, 90, 30, {10, 10, 9}, 18},
    {"cook", SERVICES, 22, 26, {12, 8, 8}, 18},
    {"cleaner", SERVICES, 55, 14, {13, 8, 7}, 18},
    {"police officer", SERVICES, 7, 22, {8, 12, 8}, 20},
    {"electrician", CRAFTS, 1, 42, {8, 11, 12}, 18},
    {"carpenter", CRAFTS, 1, 34, {6, 10, 16}, 18},
    {"builder", CRAFTS, 1, 52, {10, 9, 13}, 18},
    {"machine operator", MANUAL, 14, 56, {8, 10, 12}, 18},
    {"truck driver", TRANSPORT, 3, 44, {7, 10, 14}, 21},
    {"warehouse worker", TRANSPORT, 20, 46, {11, 11, 8}, 18},
    {"farmer", MANUAL, 12, 18, {0, 3, 60}, 18},
};
CHECK_COUNT(sample_occupations, SAMPLE_N_OCCUPATIONS);

#define ANY_DAY SAMPLE_ANY_DAY
#define AGREED SAMPLE_AGREED
#define WINTER SAMPLE_WINTER

#define CIRCULATION "circulation;*"
#define HEART "heart disease;" CIRCULATION
#define BREATHING "airways;*"
#define AIRWAY_INFECTION "airway infection;" BREATHING
#define CHRONIC_AIRWAYS "chronic airway disease;" BREATHING
#define DIGESTION "digestion;*"
#define BOWEL "bowel disease;" DIGESTION
#define CANCER "cancer;*"
#define DIGESTIVE_CANCER "digestive cancer;" CANCER
#define MIND "mind;*"
#define PSYCHIATRY "psychiatric illness;" MIND
#define NERVES "nervous system;*"
#define BONES "bones and joints;*"
#define ARTHROSIS "arthrosis;" BONES
#define INJURY "injury;*"
#define FRACTURE "fracture;" INJURY
#define BIRTH "pregnancy and birth;*"
#define DELIVERY "delivery;" BIRTH
#define URINARY "urinary tract;*"
#define KIDNEY "kidney disease;" URINARY
#define DIABETES "diabetes;*"
#define INFECTION "infection;*"

const sample_diagnosis sample_diagnoses[] = {
    /* name and path, percent of women and men, first and last age, season, median cost and spread, and the
     * weights at age  0   1   5  15   25   35  45  55  65  75  85   95  104 */
    {"heart attack", HEART, 55, 100, 25, 104, ANY_DAY, 7800, 45, {0, 0, 0, 0, 1, 4, 14, 28, 36, 40, 40, 34, 30}},
    {"heart failure", HEART, 95, 100, 20, 104, ANY_DAY, 5200, 50, {0, 0, 0, 0, 1, 2, 5, 14, 32, 60, 90, 95, 95}},
    {"atrial fibrillation", HEART, 80, 100, 18, 104, ANY_DAY, 3900, 40, {0, 0, 0, 0, 1, 2, 5, 14, 28, 40, 42, 34, 30}},
    {"stroke", CIRCULATION, 85, 100, 18, 104, ANY_DAY, 8900, 65, {0, 0, 0, 0, 1, 3, 8, 18, 32, 48, 60, 58, 55}},
    {"hypertension", CIRCULATION, 100, 85, 18, 104, ANY_DAY, 2400, 35, {0, 0, 0, 0, 2, 4, 10, 18, 24, 28, 30, 28, 26}},
    {"influenza", AIRWAY_INFECTION, 100, 100, 0, 104, WINTER, 2600, 50, {16, 14, 10, 4, 5, 5, 5, 6, 8, 12, 18, 20, 20}},
    {"pneumonia", AIRWAY_INFECTION, 85, 100, 0, 104, WINTER, 4700, 60, {20, 20, 9, 4, 5, 6, 8, 13, 24, 42, 64, 76, 80}},
    {"bronchitis", AIRWAY_INFECTION, 90, 100, 0, 104, WINTER, 2300, 40, {60, 30, 6, 2, 2, 2, 3, 4, 6, 9, 12, 12, 12}},
    {"tonsillitis", AIRWAY_INFECTION, 100, 90, 0, 69, AGREED, 1900, 25, {4, 22, 26, 24, 18, 6, 2, 1, 1, 0, 0, 0, 0}},
    {"asthma", CHRONIC_AIRWAYS, 100, 85, 0, 104, ANY_DAY, 2500, 40, {4, 18, 16, 8, 6, 5, 5, 5, 5, 4, 3, 2, 2}},
    {"copd", CHRONIC_AIRWAYS, 80, 100, 35, 104, WINTER, 3600, 50, {0, 0, 0, 0, 0, 1, 6, 20, 36, 40, 30, 18, 14}},
    {"appendicitis", DIGESTION, 90, 100, 1, 104, ANY_DAY, 4100, 35, {0, 3, 18, 22, 18, 12, 9, 7, 6, 5, 4, 3, 3}},
    {"gallstones", DIGESTION, 100, 60, 12, 104, AGREED, 4300, 40, {0, 0, 0, 3, 9, 13, 16, 19, 22, 22, 18, 14, 12}},
    {"inguinal hernia", DIGESTION, 12, 100, 0, 104, AGREED, 3100, 25, {8, 6, 4, 3, 5, 7, 11, 16, 22, 20, 10, 6, 4}},
    {"crohn's disease", BOWEL, 100, 95, 8, 104, AGREED, 4800, 60, {0, 0, 1, 9, 11, 8, 6, 5, 4, 3, 2, 1, 1}},
    {"diverticulitis", BOWEL, 100, 100, 30, 104, ANY_DAY, 4500, 55, {0, 0, 0, 0, 0, 4, 10, 16, 20, 22, 20, 16, 14}},
    {"gastroenteritis", BOWEL, 100, 95, 0, 104, ANY_DAY, 1850, 35, {40, 38, 14, 8, 8, 7, 7, 8, 10, 14, 20, 22, 24}},
    {"breast cancer", CANCER, 100, 1, 25, 104, AGREED, 7400, 50, {0, 0, 0, 0, 2, 12, 26, 30, 30, 26, 18, 12, 10}},
    {"prostate cancer", CANCER, 0, 100, 46, 104, AGREED, 7900, 40, {0, 0, 0, 0, 0, 0, 4, 24, 44, 40, 22, 12, 10}},
    {"lung cancer", CANCER, 70, 100, 30, 104, AGREED, 8600, 60, {0, 0, 0, 0, 0, 2, 8, 24, 36, 30, 12, 5, 3}},
    {"colon cancer", DIGESTIVE_CANCER, 85, 100, 30, 104, AGREED, 11800, 50, {0, 0, 0, 0, 1, 3, 8, 18, 30, 34, 24, 14, 10}},
    {"pancreatic cancer", DIGESTIVE_CANCER, 95, 100, 35, 104, AGREED, 12900, 60, {0, 0, 0, 0, 0, 1, 3, 7, 11, 11, 6, 3, 2}},
    {"leukaemia", CANCER, 80, 100, 0, 104, AGREED, 16800, 85, {2, 6, 5, 3, 2, 2, 3, 5, 9, 11, 8, 4, 3}},
    {"depression", PSYCHIATRY, 100, 65, 12, 104, AGREED, 6900, 65, {0, 0, 0, 18, 26, 28, 30, 26, 18, 13, 9, 6, 5}},
    {"schizophrenia", PSYCHIATRY, 80, 100, 15, 85, ANY_DAY, 8300, 70, {0, 0, 0, 6, 18, 17, 13, 9, 5, 2, 1, 0, 0}},
    {"alcohol dependence", MIND, 35, 100, 14, 90, ANY_DAY, 3000, 60, {0, 0, 0, 8, 20, 30, 36, 34, 18, 6, 2, 0, 0}},
    {"dementia", MIND, 100, 85, 60, 104, ANY_DAY, 6400, 50, {0, 0, 0, 0, 0, 0, 0, 1, 5, 26, 60, 70, 70}},
    {"epilepsy", NERVES, 90, 100, 0, 104, ANY_DAY, 3300, 50, {10, 14, 10, 8, 7, 7, 7, 8, 10, 11, 11, 9, 8}},
    {"migraine", NERVES, 100, 40, 6, 94, ANY_DAY, 2100, 35, {0, 0, 3, 7, 9, 9, 8, 5, 2, 1, 1, 0, 0}},
    {"parkinson's disease", NERVES, 70, 100, 45, 104, AGREED, 5600, 45, {0, 0, 0, 0, 0, 0, 1, 5, 13, 22, 16, 8, 5}},
    {"hip arthrosis", ARTHROSIS, 100, 80, 40, 104, AGREED, 9300, 20, {0, 0, 0, 0, 0, 1, 6, 18, 36, 40, 18, 6, 4}},
    {"knee arthrosis", ARTHROSIS, 100, 75, 40, 104, AGREED, 9700, 20, {0, 0, 0, 0, 0, 1, 6, 20, 40, 38, 12, 4, 2}},
    {"back pain", BONES, 100, 95, 12, 104, AGREED, 3400, 65, {0, 0, 0, 4, 14, 22, 28, 30, 26, 24, 18, 11, 8}},
    {"hip fracture", FRACTURE, 100, 50, 20, 104, ANY_DAY, 10400, 35, {0, 0, 0, 0, 1, 1, 3, 6, 14, 40, 90, 108, 110}},
    {"wrist fracture", FRACTURE, 100, 85, 1, 104, ANY_DAY, 2900, 30, {0, 4, 18, 12, 8, 7, 8, 12, 14, 15, 14, 11, 10}},
    {"concussion", INJURY, 85, 100, 0, 104, ANY_DAY, 1400, 35, {14, 24, 16, 16, 12, 7, 6, 6, 8, 13, 22, 28, 30}},
    {"spontaneous delivery", DELIVERY, 100, 0, 15, 48, ANY_DAY, 2600, 20, {0, 0, 0, 3, 110, 115, 4, 0, 0, 0, 0, 0, 0}},
    {"caesarean section", DELIVERY, 100, 0, 15, 48, AGREED, 5100, 25, {0, 0, 0, 1, 38, 56, 4, 0, 0, 0, 0, 0, 0}},
    {"miscarriage", BIRTH, 100, 0, 15, 48, ANY_DAY, 1600, 25, {0, 0, 0, 2, 18, 26, 8, 0, 0, 0, 0, 0, 0}},
    {"preterm birth", BIRTH, 90, 100, 0, 0, ANY_DAY, 21500, 90, {60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"kidney stones", KIDNEY, 50, 100, 10, 104, ANY_DAY, 2300, 40, {0, 0, 1, 5, 12, 18, 20, 20, 16, 12, 7, 4, 3}},
    {"kidney failure", KIDNEY, 85, 100, 0, 104, ANY_DAY, 6100, 65, {1, 1, 1, 2, 3, 4, 6, 10, 18, 28, 34, 30, 28}},
    {"urinary infection", URINARY, 100, 45, 0, 104, ANY_DAY, 2700, 45, {14, 10, 6, 6, 6, 4, 4, 6, 10, 20, 36, 44, 46}},
    {"enlarged prostate", URINARY, 0, 100, 46, 104, AGREED, 3700, 30, {0, 0, 0, 0, 0, 0, 1, 14, 34, 38, 24, 13, 10}},
    {"type 1 diabetes", DIABETES, 90, 100, 1, 94, ANY_DAY, 3000, 45, {0, 4, 8, 10, 5, 4, 3, 3, 2, 2, 1, 0, 0}},
    {"type 2 diabetes", DIABETES, 85, 100, 30, 104, AGREED, 3800, 50, {0, 0, 0, 0, 0, 4, 9, 16, 22, 24, 22, 16, 14}},
    {"hiv", INFECTION, 25, 100, 15, 84, AGREED, 9100, 70, {0, 0, 0, 1, 6, 8, 8, 6, 2, 1, 0, 0, 0}},
    {"sepsis", INFECTION, 90, 100, 0, 104, ANY_DAY, 14200, 80, {6, 3, 1, 1, 1, 2, 4, 8, 15, 24, 32, 34, 34}},
};
CHECK_COUNT(sample_diagnoses, SAMPLE_N_DIAGNOSES);
