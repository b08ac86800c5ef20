/* The plots: a frame with axis and grid, then bars, outlines or points. The width of a text is estimated from its
 * letters, because no font is known here. */
#include "report/svg_plot.h"

#include <math.h>
#include <string.h>

/* Lengths are in the units of the viewBox, which are about pixels. */
enum { LETTER = 6, DIGIT = 6, ROW_HEIGHT = 15, PAIR_HEIGHT = 26, LEGEND_HEIGHT = 18, AXIS_HEIGHT = 19, TITLE_HEIGHT = 15 };

const char kanon__plot_style[] = ".light{fill:#b9c3cf;stroke:#8794a3;stroke-width:.5}\n"
                                 ".dark{fill:#1f4e79}\n"
                                 ".outline{fill:none;stroke:#1f4e79;stroke-width:1.6}\n"
                                 ".grid{stroke:#e3e3e3;stroke-width:1}\n"
                                 ".base{stroke:#777;stroke-width:1}\n"
                                 ".chosen{fill:none;stroke:#b05a00;stroke-width:2.4}\n"
                                 ".label{fill:#222}\n"
                                 ".value{fill:#333;font-size:10px}\n"
                                 ".note{fill:#555;font-size:10.5px}\n"
                                 ".middle{text-anchor:middle}\n"
                                 ".right{text-anchor:end}\n";

const char kanon__plot_dark_style[] =
    "@media screen and (prefers-color-scheme:dark){.light{fill:#59636f;stroke:#8794a3}.dark{fill:#8fc1f0}"
    ".outline{stroke:#8fc1f0}.grid{stroke:#363c44}.base{stroke:#a0a8b0}.label,.value{fill:#e8e8e8}.note{fill:#b3b8bf}"
    ".chosen{stroke:#f0c46c}}\n";

typedef struct frame {
    double left, top, width, height; /* of the area where the values are drawn */
} frame;

static void begin(kanon__output *o, const kanon__plot *plot, double height)
{
    kanon__markup(o, "<svg viewBox=\"0 0 %d %s\" width=\"%d\" height=\"%s\" role=\"img\"><title>", plot->width,
                  kanon__show_place(height).text, plot->width, kanon__show_place(height).text);
    kanon__output_text(o, plot->title);
    if (plot->subject != NULL) {
        kanon__output_text(o, ": ");
        kanon__markup_text(o, plot->subject, strlen(plot->subject));
    }
    kanon__output_text(o, "</title>\n");
}

static void end(kanon__output *o)
{
    kanon__output_text(o, "</svg>\n");
}

static void text(kanon__output *o, double x, double y, const char *class_name, const char *content)
{
    kanon__markup(o, "<text x=\"%s\" y=\"%s\" class=\"%s\">", kanon__show_place(x).text, kanon__show_place(y).text,
                  class_name);
    kanon__markup_text(o, content, strlen(content));
    kanon__output_text(o, "</text>\n");
}

static void line(kanon__output *o, double x1, double y1, double x2, double y2, const char *class_name)
{
    kanon__markup(o, "<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" class=\"%s\"/>\n", kanon__show_place(x1).text,
                  kanon__show_place(y1).text, kanon__show_place(x2).text, kanon__show_place(y2).text, class_name);
}

static void rectangle(kanon__output *o, double x, double y, double width, double height, const char *class_name)
{
    kanon__markup(o, "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" class=\"%s\"/>\n", kanon__show_place(x).text,
                  kanon__show_place(y).text, kanon__show_place(width).text, kanon__show_place(height).text, class_name);
}

static const char *series_class(const kanon__plot *plot, int series)
{
    return plot->n_series == 2 && series == 0 ? "light" : "dark";
}

/* Two series are named at the top; returns the height that this takes. */
static double legend(kanon__output *o, const kanon__plot *plot, bool second_is_line)
{
    double x = 2;
    if (plot->n_series < 2)
        return 4;
    for (int i = 0; i < 2; i++) {
        if (i == 1 && second_is_line)
            rectangle(o, x, 3, 11, 9, "outline");
        else
            rectangle(o, x, 3, 11, 9, series_class(plot, i));
        text(o, x + 16, 12, "label", plot->series[i]);
        x += 16 + LETTER * kanon__text_width(plot->series[i], strlen(plot->series[i])) + 22;
    }
    return LEGEND_HEIGHT;
}

static kanon__figure_text show_value(const kanon__plot *plot, double value)
{
    if (plot->shares && value > 0 && value < 0.001)
        return (kanon__figure_text){"<0.1 %"};
    if (plot->shares && value > 0.999 && value < 1 - 1e-9)
        return (kanon__figure_text){">99.9 %"};
    return plot->shares ? kanon__show_share(value) : kanon__show_fixed(value, 0);
}

/* A step of 1, 2 or 5 times a power of ten that divides `most` into two to five parts. */
static double grid_step(double most)
{
    if (!(most > 0))
        return 1;
    double power = pow(10, floor(log10(most / 2)));
    double step = most / power > 10 ? 5 * power : most / power > 5 ? 2 * power : power;
    return step;
}

/* The step of the value axis and, in *top, where it ends. */
static double value_step(double *top, const kanon__plot *plot, double most)
{
    double step = grid_step(most);
    if (!plot->shares && step < 1)
        step = 1;
    *top = most > 0 ? step * ceil(most / step * (1 - 1e-9)) : step;
    return step;
}

static kanon__figure_text show_step(const kanon__plot *plot, double value, double step)
{
    int digits = plot->shares && step < 0.01 ? 1 : 0;
    kanon__figure_text shown = kanon__show_fixed(plot->shares ? 100 * value : value, digits);
    if (plot->shares)
        memcpy(shown.text + strlen(shown.text), " %", 3);
    return shown;
}

/* Where the numbers of the value axis find room. */
static double value_width(const kanon__plot *plot, double most)
{
    double top, step = value_step(&top, plot, most);
    return 12 + LETTER * (double)strlen(show_step(plot, top, step).text);
}

/* Lines and numbers to the left of the frame, and the title above them; returns the value at the frame's top. */
static double value_axis(kanon__output *o, const kanon__plot *plot, const frame *f, double most)
{
    double top, step = value_step(&top, plot, most);
    if (plot->y_title != NULL)
        text(o, 2, f->top - 12, "note", plot->y_title);
    for (double value = 0; value <= top * (1 + 1e-9); value += step) {
        double y = f->top + f->height * (1 - value / top);
        line(o, f->left, y, f->left + f->width, y, value > 0 ? "grid" : "base");
        text(o, f->left - 5, y + 4, "label right", show_step(plot, value, step).text);
    }
    return top;
}

static double largest(const kanon__plot_bar *bars, int n, int n_series)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n_series; j++)
            most = fmax(most, bars[i].values[j]);
    return most;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/* How many columns from one label to the next, so that they do not touch. */
static int label_stride(const kanon__plot_bar *bars, int n, double slot)
{
    double widest = 0;
    for (int i = 0; i < n; i++)
        widest = fmax(widest, LETTER * kanon__text_width(bars[i].label, bars[i].label_length) + 4);
    int stride = 1;
    while (stride < n && stride * slot < widest)
        stride++;
    return stride;
}

/* Columns stand in the middle of their slots; few of them are not as wide as the page. */
enum { WIDEST_COLUMN = 90 };

static void one_column(kanon__output *o, const kanon__plot *plot, const frame *f, const kanon__plot_bar *bar, double x,
                       double slot, double top)
{
    double width = fmin(slot * 0.8, WIDEST_COLUMN) / plot->n_series, label_end = 0, label_y = 0;
    for (int j = 0; j < plot->n_series; j++) {
        double height = f->height * bar->values[j] / top, left = x + (slot - width * plot->n_series) / 2 + j * width;
        if (bar->values[j] > 0 && height < 1)
            height = 1; /* few are not none */
        if (bar->values[j] > 0)
            rectangle(o, left, f->top + f->height - height, width, height, series_class(plot, j));
        kanon__figure_text shown = show_value(plot, bar->values[j]);
        double y = f->top + f->height - height - 3, half = DIGIT * (double)strlen(shown.text) / 2;
        if (!(bar->values[j] > 0) || 2 * half > slot / plot->n_series + 2)
            continue;
        if (left + width / 2 - half < label_end && fabs(y - label_y) < 11)
            y = label_y - 11; /* above its neighbour, which it would cover */
        text(o, left + width / 2, y, "value middle", shown.text);
        label_end = left + width / 2 + half;
        label_y = y;
    }
}

void kanon__plot_columns(kanon__output *o, const kanon__plot *plot, const kanon__plot_bar *bars, int n)
{
    enum { AREA_HEIGHT = 130 };
    double most = largest(bars, n, plot->n_series),
           above = (plot->n_series == 2 ? LEGEND_HEIGHT : 4) + (plot->y_title != NULL ? 22 : 12);
    frame f = {.left = value_width(plot, most), .top = above, .height = AREA_HEIGHT};
    f.width = plot->width - f.left - 6;
    begin(o, plot, above + AREA_HEIGHT + AXIS_HEIGHT + TITLE_HEIGHT + 2);
    legend(o, plot, false);
    double top = value_axis(o, plot, &f, most), slot = f.width / n;
    int stride = label_stride(bars, n, slot);
    for (int i = 0; i < n; i++) {
        double x = f.left + i * slot;
        one_column(o, plot, &f, &bars[i], x, slot, top);
        if (i % stride == 0)
            text(o, x + slot / 2, f.top + f.height + 16, "label middle", bars[i].label);
    }
    if (plot->x_title != NULL)
        text(o, f.left + f.width, f.top + f.height + AXIS_HEIGHT + 11, "note right", plot->x_title);
    end(o);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void one_row(kanon__output *o, const kanon__plot *plot, const frame *f, const kanon__plot_bar *bar, double y,
                    int letters, double top)
{
    double thick = plot->n_series == 2 ? 10 : 11;
    double label_y = y + (plot->n_series == 2 ? thick : thick / 2) + 4;
    kanon__markup(o, "<text x=\"%s\" y=\"%s\" class=\"label\">", kanon__show_place(2 + 9 * bar->indent).text,
                  kanon__show_place(label_y).text);
    kanon__markup_label(o, bar->label, bar->label_length, letters - 3 * bar->indent / 2);
    kanon__output_text(o, "</text>\n");
    for (int j = 0; j < plot->n_series; j++) {
        double width = f->width * bar->values[j] / top, at = y + j * (thick + 1);
        if (bar->values[j] > 0)
            rectangle(o, f->left, at, fmax(width, 1), thick, series_class(plot, j));
        if (bar->values[j] > 0)
            text(o, f->left + fmax(width, 1) + 4, at + thick - 1, "value", show_value(plot, bar->values[j]).text);
    }
}

void kanon__plot_rows(kanon__output *o, const kanon__plot *plot, const kanon__plot_bar *bars, int n)
{
    double most = largest(bars, n, plot->n_series), row = plot->n_series == 2 ? PAIR_HEIGHT : ROW_HEIGHT + 3;
    int widest = 6, letters = plot->width / 2 / LETTER - 5;
    for (int i = 0; i < n; i++) {
        int width = kanon__text_width(bars[i].label, bars[i].label_length) + 3 * bars[i].indent / 2;
        widest = width > widest ? width : widest;
    }
    letters = widest < letters ? widest : letters;
    double above = plot->n_series == 2 ? LEGEND_HEIGHT + 4 : 4;
    frame f = {.left = 12 + 1.06 * LETTER * letters, .top = above, .height = n * row};
    f.width = plot->width - f.left - 62;
    begin(o, plot, above + f.height + 2);
    legend(o, plot, false);
    line(o, f.left, f.top - 2, f.left, f.top + f.height - 2, "base");
    for (int i = 0; i < n; i++)
        one_row(o, plot, &f, &bars[i], f.top + i * row, letters, most > 0 ? most : 1);
    end(o);
}

/* ---- an axis of numbers ------------------------------------------------------------------------------------------ */

static double place_of(const frame *f, const kanon__plot_axis *axis, double value)
{
    double from = axis->edges[0], to = axis->edges[axis->n];
    return f->left + f->width * ((value - from) / (to - from));
}

static void outline(kanon__output *o, const frame *f, const kanon__plot_axis *axis, double top)
{
    double base = f->top + f->height;
    kanon__markup(o, "<path class=\"outline\" d=\"M%s %s", kanon__show_place(f->left).text, kanon__show_place(base).text);
    for (int i = 0; i < axis->n; i++)
        kanon__markup(o, "V%sH%s", kanon__show_place(base - f->height * axis->heights[1][i] / top).text,
                      kanon__show_place(place_of(f, axis, axis->edges[i + 1])).text);
    kanon__markup(o, "V%s\"/>\n", kanon__show_place(base).text);
}

/* Labels that would touch the one before, or stick out, are left out. */
static void number_axis(kanon__output *o, const kanon__plot *plot, const frame *f, const kanon__plot_axis *axis)
{
    double base = f->top + f->height, free_from = 0;
    for (int i = 0; i < axis->n_ticks; i++) {
        double x = place_of(f, axis, axis->ticks[i]), half = LETTER * (double)strlen(axis->tick_labels[i]) / 2;
        line(o, x, base, x, base + 3, "base");
        if (x - half < free_from)
            continue;
        bool sticks_out = x + half > plot->width;
        text(o, sticks_out ? plot->width - 1 : x, base + 17, sticks_out ? "label right" : "label middle",
             axis->tick_labels[i]);
        free_from = x + half + LETTER;
    }
    if (plot->x_title != NULL)
        text(o, f->left + f->width, base + AXIS_HEIGHT + 12, "note right", plot->x_title);
}

void kanon__plot_histogram(kanon__output *o, const kanon__plot *plot, const kanon__plot_axis *axis)
{
    enum { AREA_HEIGHT = 120 };
    double most = 0, above = LEGEND_HEIGHT + 24;
    for (int i = 0; i < axis->n; i++)
        most = fmax(most, fmax(axis->heights[0][i], axis->heights[1][i]));
    frame f = {.left = value_width(plot, most), .top = above, .height = AREA_HEIGHT};
    f.width = plot->width - f.left - 14;
    begin(o, plot, above + AREA_HEIGHT + AXIS_HEIGHT + (plot->x_title != NULL ? TITLE_HEIGHT : 2));
    legend(o, plot, true);
    double top = value_axis(o, plot, &f, most);
    for (int i = 0; i < axis->n; i++) {
        double x = place_of(&f, axis, axis->edges[i]), next = place_of(&f, axis, axis->edges[i + 1]);
        double height = f.height * axis->heights[0][i] / top;
        if (axis->heights[0][i] > 0)
            rectangle(o, x, f.top + f.height - fmax(height, 1), next - x, fmax(height, 1), "light");
    }
    outline(o, &f, axis, top);
    number_axis(o, plot, &f, axis);
    end(o);
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

typedef struct scale {
    bool logarithmic;
    double from, to;
} scale;

/* The next larger of ... 0.5, 1, 2, 5, 10 ... */
static double next_mark(double mark)
{
    double power = pow(10, floor(log10(mark) + 1e-9)), digit = round(mark / power);
    return (digit < 2 ? 2 : digit < 5 ? 5 : 10) * power;
}

static scale scale_of(const kanon__plot_point *points, int n, bool logarithmic)
{
    double most = points[n - 1].x, least = most;
    for (int i = n - 1; i >= 0 && points[i].x > 0; i--)
        least = points[i].x;
    if (!logarithmic || !(most > 0))
        return (scale){false, 0, most > 0 ? most * 1.05 : 1};
    scale s = {true, pow(10, floor(log10(least))), 0};
    while (next_mark(s.from) < least)
        s.from = next_mark(s.from);
    for (s.to = next_mark(s.from); s.to < most;)
        s.to = next_mark(s.to);
    return s;
}

static double along(const scale *s, const frame *f, double x)
{
    double share = s->logarithmic ? log(fmax(x, s->from) / s->from) / log(s->to / s->from)
                                  : (x - s->from) / (s->to - s->from);
    return f->left + f->width * share;
}

static void scale_marks(kanon__output *o, const kanon__plot *plot, const frame *f, const scale *s)
{
    double base = f->top + f->height, step = grid_step(s->to);
    for (double mark = s->from; mark <= s->to * (1 + 1e-9); mark = s->logarithmic ? next_mark(mark) : mark + step) {
        double x = along(s, f, mark);
        line(o, x, base, x, base + 3, "base");
        text(o, x, base + 18, "label middle", kanon__show_figure(mark, false).text);
    }
    text(o, f->left + f->width, base + AXIS_HEIGHT + 15, "note right", plot->x_title);
}

static double height_of(const frame *f, double y, double top)
{
    return f->top + f->height * (1 - y / top);
}

static void join_points(kanon__output *o, const frame *f, const scale *s, const kanon__plot_point *points, int n, double top)
{
    char command = 'M';
    kanon__output_text(o, "<path class=\"outline\" d=\"");
    for (int i = 0; i < n; i++) {
        if (!points[i].is_joined)
            continue;
        kanon__markup(o, "%c%s %s", command, kanon__show_place(along(s, f, points[i].x)).text,
                      kanon__show_place(height_of(f, points[i].y, top)).text);
        command = 'L';
    }
    kanon__output_text(o, "\"/>\n");
}

static void circles(kanon__output *o, const frame *f, const scale *s, const kanon__plot_point *points, int n, double top)
{
    for (int i = 0; i < n; i++) {
        kanon__figure_text x = kanon__show_place(along(s, f, points[i].x)),
                           y = kanon__show_place(height_of(f, points[i].y, top));
        if (points[i].is_chosen)
            kanon__markup(o, "<circle cx=\"%s\" cy=\"%s\" r=\"8\" class=\"chosen\"/>\n", x.text, y.text);
        kanon__markup(o, "<circle cx=\"%s\" cy=\"%s\" r=\"3.5\" class=\"%s\"><title>", x.text, y.text,
                      points[i].is_dark ? "dark" : "light");
        kanon__markup_text(o, points[i].label, strlen(points[i].label));
        kanon__output_text(o, "</title></circle>\n");
    }
}

/* Where a label is. */
typedef struct label_place {
    double from, to, y;
} label_place;

/* To the left and below a point; the label of the chosen one, which has a ring, to the right where that is the only room. */
static label_place label_of(const frame *f, const scale *s, const kanon__plot_point *point, double top)
{
    double room = point->is_chosen ? 11 : 6, width = LETTER * kanon__text_width(point->label, strlen(point->label));
    label_place at = {.to = along(s, f, point->x) - room, .y = height_of(f, point->y, top) + 13};
    at.from = at.to - width;
    if (at.y > f->top + f->height - 2 && !point->is_chosen) { /* it would lie on the axis: above, to the right */
        at.from = along(s, f, point->x) + 3;
        at.to = at.from + width;
        at.y = height_of(f, point->y, top) - 7;
    }
    if (point->is_chosen && at.from < f->left) {
        at.from = along(s, f, point->x) + room;
        at.to = at.from + width;
        at.y -= 18;
    }
    return at;
}

static bool labels_touch(const label_place *a, const label_place *b)
{
    return a->from < b->to && b->from < a->to && fabs(a->y - b->y) < 12;
}

/* To the left and below a joined point there is none, so there is room for its label; where one would touch the axis or the
 * label before, it is there only for whoever points at it. */
static void point_labels(kanon__output *o, const frame *f, const scale *s, const kanon__plot_point *points, int n,
                         double top)
{
    label_place before = {0}, chosen = {0};
    for (int i = 0; i < n; i++)
        if (points[i].is_chosen)
            chosen = label_of(f, s, &points[i], top);
    for (int i = 0; i < n; i++) {
        label_place at = label_of(f, s, &points[i], top);
        bool free = points[i].is_joined && at.from >= f->left && !labels_touch(&at, &before) && !labels_touch(&at, &chosen);
        if (!free && !points[i].is_chosen)
            continue;
        text(o, at.to, at.y, "label right", points[i].label);
        before = points[i].is_chosen ? before : at;
    }
}

void kanon__plot_points(kanon__output *o, const kanon__plot *plot, const kanon__plot_point *points, int n, bool logarithmic)
{
    double most = 0, above = LEGEND_HEIGHT + 24;
    for (int i = 0; i < n; i++)
        most = fmax(most, points[i].y);
    frame f = {.left = value_width(plot, most), .top = above};
    f.width = plot->width - f.left - 24;
    f.height = KANON__PLOT_POINTS_HEIGHT - above - AXIS_HEIGHT - TITLE_HEIGHT - 20;
    scale s = scale_of(points, n, logarithmic);
    begin(o, plot, KANON__PLOT_POINTS_HEIGHT);
    legend(o, plot, false);
    double top = value_axis(o, plot, &f, most);
    scale_marks(o, plot, &f, &s);
    join_points(o, &f, &s, points, n, top);
    circles(o, &f, &s, points, n, top);
    point_labels(o, &f, &s, points, n, top);
    end(o);
}
