import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** Java's driver, as Metabase, DBeaver, Tableau and Hibernate use it. It knows no sockets of the file system. */
public class Jdbc {
  private final Connection connection;

  private Jdbc() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", System.getenv("PGUSER"));
    properties.setProperty("password", System.getenv("PGPASSWORD"));
    properties.setProperty("ApplicationName", System.getenv("PGAPPNAME"));
    connection = DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:" + System.getenv("PGPORT") + "/" + System.getenv("PGDATABASE"), properties);
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
  }

  private static String row(List<String> cells) { return "[" + String.join(",", cells) + "]"; }

  private static String cell(String type, Object value) {
    return "[" + quoted(type) + "," + quoted(String.valueOf(value)) + "]";
  }

  /** Every cell with the class that getObject gives it. */
  private static List<String> rows(ResultSet result) throws SQLException {
    List<String> rows = new ArrayList<>();
    while (result.next()) {
      List<String> cells = new ArrayList<>();
      for (int i = 1; i <= result.getMetaData().getColumnCount(); ++i) {
        Object value = result.getObject(i);
        cells.add(cell(value == null ? "null" : value.getClass().getSimpleName(), value));
      }
      rows.add(row(cells));
    }
    return rows;
  }

  private List<String> ask(String statement, Object... parameters) throws SQLException {
    try (PreparedStatement prepared = connection.prepareStatement(statement)) {
      return asked(prepared, parameters);
    }
  }

  private static List<String> asked(PreparedStatement prepared, Object... parameters) throws SQLException {
    for (int i = 0; i < parameters.length; ++i) prepared.setObject(i + 1, parameters[i]);
    try (ResultSet result = prepared.executeQuery()) {
      return rows(result);
    }
  }

  private List<String> described(ResultSet found, String... names) throws SQLException {
    List<String> rows = new ArrayList<>();
    while (found.next()) {
      List<String> cells = new ArrayList<>();
      for (String name : names) cells.add(cell("text", found.getString(name)));
      rows.add(row(cells));
    }
    return rows;
  }

  /** As often as makes the driver prepare the statement on the server, and the server keep its plan. */
  private List<String> parameters() throws SQLException {
    List<String> first = null;
    try (PreparedStatement prepared = connection.prepareStatement("SELECT count(*), sum(amount) FROM orders"
        + " WHERE status = ? AND amount >= ? AND ordered_at >= ? AND ordered_at < ?")) {
      for (int i = 0; i < 15; ++i) {
        List<String> answer = asked(prepared, "paid", new BigDecimal(100), OffsetDateTime.parse("2025-03-01T00:00Z"),
            OffsetDateTime.parse("2025-09-01T00:00Z"));
        if (first != null && !first.equals(answer)) throw new SQLException("another answer");
        first = answer;
      }
    }
    return first;
  }

  /** A fetch size outside autocommit: rows come by portals. */
  private List<String> cursor() throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.setFetchSize(3);
      return rows(statement.executeQuery(
          "SELECT status, quantity, count(*) FROM orders GROUP BY 1, 2 ORDER BY 1, 2"));
    } finally {
      connection.setAutoCommit(true);
    }
  }

  private List<String> probe() throws SQLException {
    List<String> rows = new ArrayList<>();
    try (PreparedStatement prepared = connection.prepareStatement(
        "SELECT status, count(*) AS n, avg(amount) AS mean FROM orders WHERE amount > ? GROUP BY 1")) {
      ResultSetMetaData columns = prepared.getMetaData(); // describes the statement and does not run it
      for (int i = 1; i <= columns.getColumnCount(); ++i) {
        rows.add(row(List.of(cell("text", columns.getColumnName(i)), cell("text", columns.getColumnTypeName(i)))));
      }
    }
    return rows;
  }

  private List<String> answer(String question) throws SQLException {
    DatabaseMetaData catalog = connection.getMetaData();
    switch (question) {
      case "tables":
        return described(catalog.getTables(null, "public", "%", new String[] {"TABLE"}), "TABLE_NAME");
      case "columns":
        return described(catalog.getColumns(null, "public", "orders", "%"), "COLUMN_NAME", "TYPE_NAME", "IS_NULLABLE");
      case "choices":
        return ask("SELECT DISTINCT status FROM orders ORDER BY 1");
      case "probe":
        return probe();
      case "explain":
        return List.of(row(List.of(cell("boolean", !ask("EXPLAIN SELECT status, count(*) FROM orders GROUP BY 1").isEmpty()))));
      case "count":
        return ask("SELECT count(*) FROM orders");
      case "by_category":
        return ask("SELECT status, count(*), sum(amount) FROM orders GROUP BY status ORDER BY status");
      case "by_month":
        return ask("SELECT date_trunc('month', ordered_at) AS month, count(*) FROM orders GROUP BY 1 ORDER BY 1");
      case "average":
        return ask("SELECT avg(amount), avg(quantity) FROM orders");
      case "bins":
        return ask("SELECT floor(amount / 100) * 100 AS bin, count(*) FROM orders GROUP BY 1 ORDER BY 1");
      case "top":
        return ask("SELECT r.name, sum(o.amount) AS revenue FROM orders o JOIN customers c ON c.id = o.customer_id"
            + " JOIN regions r ON r.id = c.region_id GROUP BY r.name ORDER BY revenue DESC LIMIT ?", 3);
      case "persons":
        return ask("SELECT count(DISTINCT customer_id) FROM orders WHERE quantity > ?", 2);
      case "parameters":
        return parameters();
      case "cursor":
        return cursor();
      case "rows":
        return ask("SELECT * FROM orders ORDER BY id LIMIT 10");
      default:
        throw new SQLException("no such question: " + question);
    }
  }

  public static void main(String[] arguments) throws Exception {
    Jdbc client = new Jdbc();
    BufferedReader questions = new BufferedReader(new InputStreamReader(System.in));
    for (String question = questions.readLine(); question != null; question = questions.readLine()) {
      String answer;
      try {
        if (question.equals("version")) {
          DatabaseMetaData catalog = client.connection.getMetaData();
          answer = "\"text\":" + quoted("JDBC " + catalog.getDriverVersion() + ", Java " + System.getProperty("java.version"));
        } else {
          answer = "\"rows\":[" + String.join(",", client.answer(question)) + "]";
        }
      } catch (SQLException error) {
        answer = "\"error\":" + quoted(error.getMessage());
      }
      System.out.println("{" + answer + "}");
    }
  }
}
